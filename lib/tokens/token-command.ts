import { spawn } from 'node:child_process';
import type { Scope } from '../contract/model.ts';
import { scopesClaim } from './jwt.ts';
import { TokenError } from './token-error.ts';

/** Milliseconds that the command may take. */
const timeout = 30_000;

/**
 * Runs a shell command that makes a token (DESIGN, section 4): the wanted scopes as JSON on its standard input, the token
 * on its standard output.
 * @param expiresIn seconds.
 * @throws TokenError whose message holds nothing that the command printed but words too short for a token.
 */
export function runTokenCommand(
  command: string,
  scopes: readonly Scope[],
  expiresIn: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: 'pipe', timeout, killSignal: 'SIGKILL' });
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, 65_536);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2000);
    });
    // A command that does not read its input is no fault.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ scopes: scopesClaim(scopes), expires_in: expiresIn }));
    child.once('error', (error) =>
      reject(new TokenError(`the token command could not be started: ${error.message}`)),
    );
    child.once('close', (code, signal) => {
      const token = output.trim();
      if (signal !== null)
        reject(new TokenError(`the token command was ended by ${signal} (after ${timeout} ms at most)`));
      else if (code !== 0)
        reject(new TokenError(`the token command ended with ${code}${harmless(complaint)}`));
      else if (!/^[\x21-\x7e]+$/.test(token)) reject(new TokenError('the token command printed no token'));
      else resolve(token);
    });
  });
}

/** The last line of what a command complained about, without words that could be a token. */
function harmless(complaint: string): string {
  const last = complaint.trim().split('\n').at(-1) ?? '';
  const words = last.replaceAll(/[^\x20-\x7e]/g, ' ').replaceAll(/\S{16,}/g, '…');
  return words === '' ? '' : `: ${words.slice(0, 200)}`;
}
