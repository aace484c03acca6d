import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set-up of vitest: a folder for what one worker makes and the others read. Its path is in SHARED_FOLDER. */
export default function makeSharedFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'vitest-shared-'));
  process.env.SHARED_FOLDER = folder;
  return () => rmSync(folder, { recursive: true });
}
