import { describe, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';

describe('wrong usage', () => {
  test.each([
    [['--base-ur', 'http://x'], /unknown option '--base-ur'.*--base-url/],
    [['--tokn=s3cret-value'], /unknown option '--tokn'/],
    [['--runs', '0'], /^error: --runs must be an integer/],
    [['--base-url'], /'--base-url <URL>' argument missing/],
    [['fak'], /there is no command fak; did you mean fake\?/],
    [['--only', '4.2/take-maximun'], /did you mean 4\.2\/take-maximum/],
    [['--matrix', 'some'], /--matrix must be full or grouped, not 'some'/],
    [['--dry-run', '--only', 'nowhere'], /--only 'nowhere' names no requirement/],
    [['--resume-checkpoints', '/nowhere.json'], /--resume-checkpoints: there is no file/],
    [['--profile', '/nowhere.yaml'], /--profile: there is no file \/nowhere\.yaml/],
    [['fake', '--rate-limit', '10'], /--rate-limit must be requests\/seconds, such as 100\/60/],
    [['fake', '--port', 'x'], /--port must be an integer from 0 to 65535, not 'x'/],
    [['fake', '--data', 'package.json'], /--data package\.json: unknown part name/],
    [['fake', '--fault', 'nothing-like-it'], /--fault nothing-like-it: there is no such name.*--list-faults/],
    [['keys', '--alg', 'HS256'], /--alg must be ES256, EdDSA, RS256 or PS256, not 'HS256'/],
    [['merge', '/nowhere'], /there is no report at \/nowhere/],
    [['render', 'package.json'], /package\.json: not a report/],
    [
      ['--base-url', 'http://x.example', '--signing-key', 'package.json'],
      /--signing-key package\.json: .*not a private JSON Web Key/,
    ],
    [
      ['--base-url', 'http://127.0.0.1:1', '--control', 'http://127.0.0.1:1', '--data', 'package.json'],
      /--data package\.json: phone_templates is missing/,
    ],
    [
      ['--base-url', 'http://x.example', '--ca', 'package.json'],
      /--ca package\.json: this is not a PEM file/,
    ],
  ])('%j is answered in one line, with 2', async (args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(stderr).not.toContain('s3cret');
  });
});

test('--list-faults names what each fault breaks', async () => {
  const { code, stdout } = await runHere(['fake', '--list-faults']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[a-z0-9-]+ +4\.2\/\S+: /m);
});
