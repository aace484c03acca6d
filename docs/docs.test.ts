import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Fake, type FakeOptions, startFake } from '../lib/fake/index.ts';
import { runConformance } from '../lib/index.ts';
import { faults } from '../lib/mutation/faults/index.ts';
import { blocksOf, commandsOf, filesOf, pages } from '../test/markdown-blocks.ts';
import { startShellProgram } from '../test/shell-program.ts';

/**
 * Every command of README.md and docs/ is run, in a folder that looks like this project, against a fake in the place of
 * the reader's server. What is replaced stands in `replaced`; everything else is run as it stands.
 */

const root = fileURLToPath(new URL('../', import.meta.url));

const secret = 'the-secret-of-the-docs';

/** Ways to start the command line: as installed, and as it is here. */
const starts =
  /(npx (--yes )?)?tenant-admin-conformance(@[\d.]+)? |npx tsx lib\/cli\/main.ts |npm test( -- |$)/g;

/** Those that were tried. */
const tried = new Set<string>();

/** What stands for a way to start: itself, but the program of the test once it was tried. */
function started(start: string): string {
  const way = start.includes('conformance') ? 'node --import tsx lib/cli/main.ts ' : start;
  if (tried.has(way)) return 'started-here ';
  tried.add(way);
  return way;
}

/** What the pages say, and what stands for it here. */
function replaced(command: string, fake: Fake): string {
  return (
    command
      .replaceAll(
        /https:\/\/tenant\.example\/api\/v2|http:\/\/(localhost|127\.0\.0\.1):3000\/api\/v2/g,
        fake.url,
      )
      .replaceAll(/\$\{\{ vars\.BASE_URL \}\}/g, fake.url)
      .replaceAll(/http:\/\/(localhost|127\.0\.0\.1):3001/g, fake.controlUrl ?? '')
      // The pages' ports may be taken.
      .replaceAll(/(port) \d+/g, '$1 0')
      // A process of its own, which can be ended.
      .replaceAll('npx tenant-admin-conformance fake', 'npm run fake --')
      .replaceAll(starts, started)
      // Finds out that the lock file can be installed from; the tests run on what is installed.
      .replace(/^npm ci$/, 'npm ci --dry-run --prefer-offline --ignore-scripts')
  );
}

/** The reader's own command that issues tokens. */
const issuer = `#!/bin/sh
exec node -e "
  const { importJWK, SignJWT } = require('jose');
  const { scopes, expires_in } = JSON.parse(fs.readFileSync(0, 'utf8'));
  const now = Math.floor(Date.now() / 1000);
  const key = JSON.parse(process.env.FAKE_KEY);
  const iss = new URL('/', process.env.BASE_URL).href;
  const token = new SignJWT({ iss, aud: '/api/v2/', iat: now, exp: now + expires_in, scopes });
  importJWK(key, 'EdDSA')
    .then((signing) => token.setProtectedHeader({ alg: 'EdDSA', kid: key.kid }).sign(signing))
    .then((signed) => process.stdout.write(signed));
"
`;

/** A folder in which this project's commands work, and in which they leave their files. */
function workplace(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  for (const name of ['lib', 'suites', 'fixtures', 'examples', 'node_modules'])
    symlinkSync(join(root, name), join(folder, name));
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
    copyFileSync(join(root, name), join(folder, name));
  for (const [name, text] of filesOf(page))
    writeFileSync(join(folder, name), text.replace(/expires: .*/, 'expires: 2999-12-31'));
  writeFileSync(join(folder, 'issue-token.sh'), issuer, { mode: 0o755 });
  return folder;
}

/** Another server is needed as soon as this differs: the keys that were made so far, and whether it is to be broken. */
function wishes(folder: string, command: string) {
  const keys = ['key.jwk', 'conformance-key.json']
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
  // A list of known failures is for a server that has them.
  return { keys, broken: command.includes('--baseline') };
}

/** The reader's server: a fake that trusts these keys, and has the data that the pages name. */
function readersServer({ keys, broken }: ReturnType<typeof wishes>): Promise<Fake> {
  const clients = ['reader', 'my-client', 'ci'].map((client_id) => ({
    client_id,
    client_secret: secret,
    scopes: ['read:actions', 'read:experimentation', 'read:self_service_profile_custom_texts'],
  }));
  const dataSet = JSON.parse(readFileSync(join(root, 'fixtures/tenant.json'), 'utf8'));
  dataSet.actions[0].action.id = 'act_1';
  for (const version of dataSet.actions[0].versions) version.action_id = 'act_1';
  dataSet.self_service_profiles[0].id = 'ssp_1';
  dataSet.rate_limit_policies[0].id = 'rlp_that_may_go';
  const known = faults.find(({ requirement }) => requirement === '4.2/take-maximum');
  const options: FakeOptions = { control: true, clients, trustedKeys: { keys }, dataSet };
  return startFake(broken && known ? { ...options, rules: known.rules } : options);
}

/** Few requirements that say something of whatever the command is given. */
function fewFor(command: string): string {
  // Each shard needs something to judge.
  if (command.includes('--shard')) return '4.2,4.3';
  const few = '4.2/take-maximum,4.5/reads,5.1';
  return command.includes('checkpoints') ? `${few},8/checkpoint*` : few;
}

/** Runs a command to its end, or until it says that it serves. */
async function runCommand(command: string, folder: string, fake: Fake) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CONFORMANCE_|GITHUB_|VITEST)/.test(name),
  );
  const child = spawn('sh', ['-c', command], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(inherited),
      PATH: `${folder}:${process.env.PATH}`,
      BASE_URL: fake.url,
      TOKEN: await fake.token(),
      SECRET: secret,
      FAKE_KEY: JSON.stringify(fake.signingKey),
      READER_SECRET: secret,
      CLIENT: 'my-client',
      ACTION: 'act_1',
      NO_COLOR: '1',
      // Few requirements, where the page does not choose itself: what is tried here are the commands.
      CONFORMANCE_RUNS: '1',
      CONFORMANCE_MATRIX: 'grouped',
      ...(!command.includes('--only') && { CONFORMANCE_ONLY: fewFor(command) }),
      ...(/--client-id (ci|"\$CLIENT")/.test(command) && { CONFORMANCE_CLIENT_SECRET: secret }),
    },
  });
  const ended = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      // It serves until it is told to end.
      if (/Ctrl-C stops it|^control http/m.test(text) && child.pid) process.kill(-child.pid, 'SIGINT');
    });
  }
  const [code, signal] = await ended;
  // 130 is what npm ends with when it is interrupted.
  return { code: signal === 'SIGINT' || code === 130 ? 0 : code, printed };
}

test.each(pages.filter((page) => commandsOf(page).length > 0))(
  'every command of %s',
  async (page) => {
    const folder = workplace(page);
    await using _ = await startShellProgram(folder, 'started-here');
    let wished = wishes(folder, '');
    let fake = await readersServer(wished);
    for (const command of commandsOf(page)) {
      const wish = wishes(folder, command);
      if (JSON.stringify(wish) !== JSON.stringify(wished)) {
        await fake.close();
        fake = await readersServer(wish);
        wished = wish;
      }
      const { code, printed } = await runCommand(replaced(command, fake), folder, fake);
      expect(code, `${command}\n${printed}`).toBe(0);
    }
    await fake.close();
  },
  180_000,
);

describe('TypeScript', () => {
  /** What a piece of a file leaves to the rest of that file. */
  const around: Readonly<Record<string, string>> = {
    requirement: `import { expectStatus } from './lib/runner/expect.ts';
      import type { RequirementContext } from './lib/runner/context.ts';
      import { requirement } from './lib/runner/requirement.ts';
      declare function statuses(ctx: RequirementContext): string[];\n`,
  };

  test('of every page compiles', async () => {
    const folder = workplace('README.md');
    const extended = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { noEmit: true, rootDir: '/', noUnusedLocals: false },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(extended));
    writeFileSync(
      join(folder, 'my-server.ts'),
      `export declare const signingKey: Record<string, unknown>;
       export declare function startMyServer(): Promise<{ url: string; controlUrl: string; close(): Promise<void> }>;`,
    );
    const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === 'ts');
    for (const [index, { text }] of blocks.entries()) {
      const [, first = ''] = /^(\w+)\(/.exec(text) ?? [];
      writeFileSync(join(folder, `block-${index}.ts`), `${around[first] ?? ''}${text}\nexport {};\n`);
    }
    expect(blocks.length).toBeGreaterThan(4);
    const child = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await once(child, 'close');
    expect(printed).toBe('');
  });

  test("of the fake's pages and README runs", async () => {
    const folder = workplace('docs/fake.md');
    const blocks = ['README.md', 'docs/fake.md', 'docs/fake-clients.md']
      .flatMap(blocksOf)
      .filter(({ language, text }) => language === 'ts' && text.includes('startFake'));
    expect(blocks.length).toBeGreaterThan(10);
    const names = blocks.map(({ text }, index) => {
      writeFileSync(join(folder, `block-${index}.ts`), text);
      return `./block-${index}.ts`;
    });
    writeFileSync(join(folder, 'blocks.ts'), names.map((name) => `await import('${name}');`).join('\n'));
    const args = ['--import', 'tsx', 'blocks.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    const statuses = stdout.match(/^\d{3}\b/gm)?.toSorted();
    expect(statuses).toEqual([...Array(6).fill('200'), ...Array(4).fill('401')]);
  }, 180_000);

  test('of the complete adapter is the one that is tested', () => {
    const shown = blocksOf('docs/implementers.md').find(({ text }) => text.includes('controlListener'));
    expect(shown?.text).toBe(readFileSync(join(root, 'examples/plain-server/control.ts'), 'utf8'));
  });

  test("CONTRIBUTING's fault breaks what it says, and nothing else of its section", async () => {
    const shown = blocksOf('CONTRIBUTING.md').find(({ text }) => text.startsWith('faultsOf'))?.text ?? '';
    const file = join(workplace('README.md'), 'fault.ts');
    const imports = [
      `import { experiments } from '${root}lib/mutation/builders/on.ts';`,
      `import { fault, faultsOf } from '${root}lib/mutation/fault.ts';`,
    ];
    writeFileSync(file, [...imports, `export const [shown] = ${shown}`].join('\n'));
    const found = await import(file);
    const fake = await startFake({ control: true, rules: found.shown.rules });
    const report = await runConformance({
      baseUrl: fake.url,
      control: fake.controlUrl ?? '',
      signingKey: fake.signingKey,
      only: ['4.2'],
      runs: 10,
    });
    await fake.close();
    const broken = report.requirements.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned');
    expect(broken.map(({ id }) => id)).toEqual([found.shown.requirement]);
  });
});

test('scripts that the pages name in passing are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [...pages, 'CONTRIBUTING.md'].flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('faults that the pages name exist', () => {
  const pattern = /--fault ([a-z][\w-]*)|fake\.use\('([\w-]+)'/g;
  const named = [...pages, 'CONTRIBUTING.md'].flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(pattern)].map(
      ([, option, inCode]) => option ?? inCode,
    ),
  );
  expect(named).toContain('take-maximum-51');
  expect(named.filter((name) => !faults.some((fault) => fault.name === name))).toEqual([]);
});
