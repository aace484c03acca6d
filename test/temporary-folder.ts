import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Set-up of vitest: one folder for all temporary files of the tests and of the processes that they start, removed at the end.
 * SHARED_FOLDER is the same folder, for what one worker makes and the others read.
 */
export default function makeTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  process.env.TMPDIR = folder;
  process.env.SHARED_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
