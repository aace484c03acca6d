import { spawn } from 'node:child_process';
import { Semaphore } from '../client/pace.ts';
import { type Scope, scopesClaim } from '../contract/model.ts';
import { assumedLifetime, parseToken, TokenCache, tokenPermits } from './issued-token.ts';
import { TokenError, type TokenSource, type TokensOptions } from './token-source.ts';

/** Time limit for the command, in milliseconds. */
const timeout = 30_000;

/** Maximum number of characters that the command may print. */
const maximumOutput = 65_536;

const remedy =
  'Run it by itself to see why: its standard error is not shown, because it may contain secrets.';

/** Maximum number of commands that run concurrently. */
const concurrentCommands = 4;

/** Tokens printed by the user's command. */
export function commandTokens(command: string, { clock, driver }: TokensOptions): TokenSource {
  const cache = new TokenCache(clock);
  const semaphore = new Semaphore(concurrentCommands);
  return {
    capabilities: ['token', 'scopes', 'known_scopes'],
    async permitting(scopes) {
      const key = scopes.map(({ name }) => name).sort();
      // The command knows only the real time: if the target's clock is ahead, the token must last until then.
      const expiresIn = assumedLifetime + Math.max(0, clock.offsetSeconds);
      const issued = await cache.get(key.join(' '), async () => {
        const token = await semaphore.run(() => runTokenCommand(command, scopes, expiresIn));
        driver.secrets.add(token);
        return parseToken(token, clock.now() + assumedLifetime);
      });
      return tokenPermits(issued, scopes) ? issued.authorization : undefined;
    },
    forget: () => cache.clear(),
  };
}

/**
 * Runs a shell command that prints a token (`--token-command`). It gets the wanted scopes as JSON on standard input.
 * @param expiresIn seconds
 * @throws TokenError whose message contains nothing that the command printed
 */
function runTokenCommand(command: string, scopes: readonly Scope[], expiresIn: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new TokenError(`the token command ${message}`, remedy));
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'] });
    // Processes that the shell started survive it, and would keep the pipe open.
    const end = () => child.kill('SIGKILL') && child.stdout.destroy();
    const timer = setTimeout(end, timeout);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > maximumOutput) end();
    });
    // A command may ignore its input.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ scopes: scopesClaim(scopes), expires_in: expiresIn }));
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const token = output.trim();
      if (output.length > maximumOutput) fail(`printed more than ${maximumOutput} characters`);
      else if (signal !== null) fail(`was ended by ${signal} (after ${timeout} ms at most)`);
      else if (code !== 0) fail(`exited with ${code}`);
      else if (!/^[\x21-\x7e]+$/.test(token)) fail('printed no token');
      else resolve(token);
    });
  });
}
