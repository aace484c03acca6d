import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { recordFile, sourcesOf } from './sources.js';

/** `npm run build`: compiles what the package holds into `dist`, and copies what it reads, YAML as JSON too. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = sourcesOf(root);
rmSync(join(root, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of ['fixtures', 'reports/report.schema.json'])
  cpSync(join(root, path), join(root, 'dist', path), { recursive: true });
const { loadLedger } = await import(new URL('../../dist/lib/contract/ledger.js', import.meta.url).href);
// Judged here, so that it need not be judged again whenever it is read.
loadLedger(join(root, 'fixtures/requirements.yaml'));
for (const name of ['openapi', 'requirements']) {
  const file = join(root, 'dist/fixtures', name);
  writeFileSync(`${file}.json`, JSON.stringify(parse(readFileSync(`${file}.yaml`, 'utf8'))));
}
writeFileSync(join(root, recordFile), sources);
