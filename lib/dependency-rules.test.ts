import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The modules that each module may import from besides itself: imports run downwards only. Tests may import anything. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  'lib/contract': [],
  'lib/arbitraries': ['lib/contract'],
  'lib/fake': ['lib/contract'],
  'lib/client': ['lib/contract'],
  'lib/tokens': ['lib/client', 'lib/contract'],
  'lib/control': ['lib/tokens', 'lib/client', 'lib/contract'],
  'lib/report': ['lib/contract'],
  'lib/runner': ['lib/contract', 'lib/arbitraries', 'lib/client', 'lib/tokens', 'lib/control', 'lib/report'],
  suites: ['lib/contract', 'lib/arbitraries', 'lib/client', 'lib/tokens', 'lib/control', 'lib/runner'],
  'lib/mutation': [
    'lib/contract',
    'lib/arbitraries',
    'lib/client',
    'lib/tokens',
    'lib/control',
    'lib/runner',
    'lib/report',
    'lib/fake',
    'suites',
    'examples/plain-server',
    'test',
  ],
  'lib/cli': [
    'lib/contract',
    'lib/arbitraries',
    'lib/client',
    'lib/tokens',
    'lib/control',
    'lib/runner',
    'lib/report',
    'lib/fake',
    'lib/mutation',
    'suites',
  ],
  'lib/vitest': ['lib/contract', 'lib/runner', 'lib/report', 'lib/cli', 'suites'],
  bench: ['lib/contract', 'lib/report', 'lib/fake', 'lib/cli', 'test'],
  'examples/plain-server': [],
  test: ['lib/contract', 'lib/report', 'lib/fake', 'lib/cli', 'lib/vitest'],
};

const moduleOf = (file: string): string | undefined =>
  Object.keys(allowedImports).find((module) => file === module || file.startsWith(`${module}/`));

test.each(Object.keys(allowedImports))('%s imports only from modules below it', (module) => {
  const files = readdirSync(new URL(`../${module}`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .map((file) => `${module}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && moduleOf(file) === module);
  expect(files.length).toBeGreaterThan(0);
  const violations = files.flatMap((file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].flatMap(([, path = '']) => {
      const target = new URL(path, `file:///${file}`).pathname.slice(1);
      const other = moduleOf(target);
      if (target === 'lib/index.ts') return [`${file} imports the package's own entry point`];
      return other === module || allowedImports[module]?.includes(other ?? '')
        ? []
        : [`${file} imports ${target}`];
    });
  });
  expect(violations).toEqual([]);
});
