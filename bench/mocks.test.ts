import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Mock, startMock } from './mocks.ts';

const cache = mkdtempSync(join(tmpdir(), 'mocks-'));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

const mock: Mock = {
  name: 'own',
  title: 'a server of this test',
  goal: 1,
  packages: {},
  command: (port) => ['serve.mjs', String(port)],
  files: {
    'serve.mjs': `import { createServer } from 'node:http';
createServer((request, response) => response.end(request.url)).listen(Number(process.argv[2]), '127.0.0.1');`,
  },
};

test('a mock is installed once, and ends when it is told to', async () => {
  for (const _ of ['installed', 'found']) {
    const { origin, close } = await startMock(mock, cache);
    const answer = await fetch(`${origin}/a?b`);
    expect(await answer.text()).toBe('/a?b');
    await close();
    await expect(fetch(origin)).rejects.toThrow();
  }
});

test('where npm fails there is one line about it', async () => {
  const absent = { ...mock, title: 'absent', packages: { absent: 'file:./not-here.tgz' } };
  await expect(startMock(absent, cache)).rejects.toThrow("npm can't install absent here");
});

test('a mock that ends is not waited for', async () => {
  const silent = { ...mock, title: 'silent', command: () => ['-e', '0'] };
  await expect(startMock(silent, cache)).rejects.toThrow('silent does not answer');
});
