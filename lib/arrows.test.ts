import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Which rooms a room may import from; its own it always may. Tests may import what they like. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  'lib/contract': [],
  'lib/generate': ['lib/contract'],
  'lib/fake': ['lib/contract'],
  'lib/target': ['lib/contract'],
  'lib/report': ['lib/contract'],
  'lib/judge': ['lib/contract', 'lib/generate', 'lib/target', 'lib/report'],
  suites: ['lib/contract', 'lib/generate', 'lib/target', 'lib/judge'],
  'lib/cli': ['lib/contract', 'lib/generate', 'lib/target', 'lib/judge', 'lib/report', 'lib/fake', 'suites'],
  'lib/prove': ['lib/contract', 'lib/target', 'lib/judge', 'lib/fake', 'suites', 'examples/plain-server'],
  'lib/bench': ['lib/contract', 'lib/report', 'lib/fake', 'lib/cli'],
  'lib/package': [],
  'examples/plain-server': [],
};

const roomOf = (file: string): string | undefined =>
  Object.keys(arrows).find((room) => file === room || file.startsWith(`${room}/`));

test.each(Object.keys(arrows))('%s imports only from where it may', (room) => {
  const files = readdirSync(new URL(`../${room}`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .map((file) => `${room}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && roomOf(file) === room);
  expect(files.length).toBeGreaterThan(0);
  const strays = files.flatMap((file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].flatMap(([, path = '']) => {
      const target = new URL(path, `file:///${file}`).pathname.slice(1);
      const other = roomOf(target);
      return other === room || arrows[room]?.includes(other ?? '') ? [] : [`${file} imports ${target}`];
    });
  });
  expect(strays).toEqual([]);
});
