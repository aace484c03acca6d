import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formType } from '../contract/media-types.ts';
import type { Request } from './exchange.ts';
import { recordRequest } from './record.ts';
import { curl, quote } from './reproduce.ts';

/** What the command writes. */
function shell(command: string, environment: Record<string, string> = {}): Buffer {
  return execFileSync('bash', ['--norc', '-c', command], {
    maxBuffer: 10_000_000,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...environment },
  });
}

function line(request: Partial<Request>, headers: [string, string][] = [], url = 'http://h/a'): string {
  const whole = { operation: undefined, method: 'GET', target: '/a', ...request };
  return curl({ request: recordRequest(whole, url, headers) });
}

/** The arguments and the standard input that curl would get. */
function received(
  command: string,
  environment: Record<string, string> = {},
): { words: string[]; input: Buffer } {
  const stub = 'curl() { printf "%s\\0" "$@"; printf "\\0\\0"; cat; }; exec </dev/null; ';
  const output = shell(stub + command, environment);
  const end = output.indexOf('\0\0\0');
  return { words: output.toString('utf8', 0, end).split('\0'), input: output.subarray(end + 3) };
}

describe('quote', () => {
  test('any text stays one word, and the same text', () => {
    const texts = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 300, seed: 1 });
    const hostile = [
      "'; rm -rf / #",
      "\\'",
      '$(id)',
      '`id`',
      '!!',
      "$'\\n'",
      '\u202e',
      "a\nb'\\c\u0007",
      '"$TOKEN"',
      '',
      '-x',
      '~',
    ];
    const words = [...texts.map((text) => text.replaceAll('\0', '')), ...hostile].map((text) =>
      text.toWellFormed(),
    );
    const output = shell(`printf '%s\\0' ${words.map(quote).join(' ')}`).toString();
    expect(output.split('\0').slice(0, -1)).toEqual(words);
  });

  test('nothing that a terminal acts upon is left in it', () => {
    expect(quote('\u001b[2J\u202e\u0000')).toMatch(/^[\x20-\x7e]+$/);
  });
});

describe('curl', () => {
  test('a plain request', () => {
    const headers: [string, string][] = [
      ['user-agent', 'x'],
      ['accept-encoding', 'identity'],
      ['authorization', 'Bearer $TOKEN'],
    ];
    expect(line({}, headers)).toBe(`curl -sS -i http://h/a -H 'authorization: Bearer '"$TOKEN"`);
    const { words } = received(line({}, headers), { TOKEN: "t'$(x)" });
    expect(words).toEqual(['-sS', '-i', 'http://h/a', '-H', "authorization: Bearer t'$(x)"]);
  });

  test('paths are sent as they are', () => {
    expect(line({}, [], 'http://h/a/../b?x=[1]')).toBe(`curl -sS -i --path-as-is -g 'http://h/a/../b?x=[1]'`);
  });

  test.each(['{"a": "it\'s\\n"}', '@/etc/passwd', 'a\nb\u0000c', '$TOKEN', 'é\u{1f600}\u0007', '%s%n\\0'])(
    'the body %j',
    (text) => {
      const bytes = Buffer.from(text);
      const command = line({ method: 'PUT', body: { bytes, mediaType: 'text/plain' } }, [
        ['content-type', 'text/plain'],
      ]);
      const { words, input } = received(command, { TOKEN: 'secret' });
      const raw = words.indexOf('--data-raw');
      if (raw >= 0) expect(words[raw + 1]).toBe(text);
      else expect(input).toEqual(bytes);
    },
  );

  test.each([
    ['binary', Buffer.from([0xff, 0, 0x27, 0x25, 0x5c, 10])],
    ['padded', Buffer.from(`{"a":${' '.repeat(1_000_000)}1}`)],
    ['padded in front', Buffer.from(`${'\0'.repeat(5_000_000)}'`)],
  ])('a body that is %s', (_, bytes) => {
    const command = line({ method: 'POST', body: { bytes, chunked: true } });
    expect(command.length).toBeLessThan(400);
    const { words, input } = received(command);
    expect(input.equals(bytes)).toBe(true);
    expect(words).toContain('transfer-encoding: chunked');
    expect(words).toContain('content-type:');
  });

  test('a body without a pattern is shown as far as it is recorded, and has its length', () => {
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, index) => 97 + (index % 26)));
    expect(received(line({ method: 'PUT', body: { bytes } })).input.length).toBe(50_000);
  });

  test('credentials in a body are left to the reader, and pass through a pipe', () => {
    const recorded = 'client_secret=$CLIENT_SECRET';
    const command = line({ method: 'POST', body: { bytes: Buffer.from('client_secret=x'), recorded } });
    expect(command).not.toContain('=x');
    const { words, input } = received(command, { CLIENT_SECRET: "s'$(id)" });
    expect(words).not.toContain("client_secret=s'$(id)");
    expect(input.toString()).toBe("client_secret=s'$(id)");
  });

  test.each([
    ['$CLIENT_SECRET', 's+&=%$(id)'],
    ['$CLIENT_SECRET ', 's+&=%$(id) '],
    [`\${CLIENT_SECRET#?}`, '+&=%$(id)'],
    [`\${CLIENT_SECRET%?}~`, 's+&=%$(id~'],
  ])('the secret %j in a form is encoded by curl', (shown, sent) => {
    const recorded = `client_id=a%26b&client_secret=${shown}&audience=%2F`;
    const body = { mediaType: formType, bytes: Buffer.from('client_secret=x'), recorded };
    const command = line({ method: 'POST', body }, [['content-type', formType]]);
    const { words, input } = received(command, { CLIENT_SECRET: 's+&=%$(id)' });
    expect(words.slice(-6)).toEqual([
      ...['--data-raw', 'client_id=a%26b'],
      ...['--data-urlencode', 'client_secret@-'],
      ...['--data-raw', 'audience=%2F'],
    ]);
    expect(input.toString()).toBe(sent);
  });
});
