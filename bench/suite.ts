import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSecondsOf } from './process.ts';
import { type Bench, median, type Row } from './row.ts';

/** `npm test` as users run it, compared with an empty vitest run: CPU seconds of all processes. */
export async function suite({ folder, isQuick }: Bench): Promise<readonly Row[]> {
  const project = join(folder, 'empty');
  mkdirSync(project);
  writeFileSync(
    join(project, 'empty.test.ts'),
    "import { test } from 'vitest';\n\ntest('empty', () => {});\n",
  );
  const [suites, empties]: [number[], number[]] = [[], []];
  for (let round = 0; round < (isQuick ? 1 : 5); round += 1) {
    suites.push(await cpuSecondsOf('npm', 'test', '--', '--report-dir', join(folder, 'suite'), '--quiet'));
    empties.push(await cpuSecondsOf('npx', '--no-install', 'vitest', 'run', '--root', project));
  }
  return [
    {
      name: 'suite',
      what: 'npm test, CPU time',
      value: median(suites),
      unit: 's',
      reference: { what: 'an empty vitest run', value: median(empties) },
      limit: { atMost: 4 },
    },
  ];
}
