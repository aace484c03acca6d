import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run build`: compiles what the package contains into `dist`, and copies the files that it reads at run time. */

const root = fileURLToPath(new URL('../', import.meta.url));
rmSync(join(root, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of ['fixtures', 'lib/report/html/style.css', 'lib/report/html/browser.js'])
  cpSync(join(root, path), join(root, 'dist', path), { recursive: true });
