import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { shippedSchema } from '../contract/document.ts';
import { oneLine } from '../contract/one-line.ts';
import { createParser } from '../contract/schema-parser.ts';
import type { SavedCheckpoint, SavedCheckpoints } from '../runner/saved-checkpoints.ts';
import { readJson, writeJson } from './files.ts';
import type { Settings } from './options.ts';
import { UsageError } from './usage.ts';

/** What `--save-checkpoints` writes. */
interface CheckpointsFile {
  readonly base_url: string;
  readonly checkpoints: readonly SavedCheckpoint[];
}

const parse = createParser<CheckpointsFile>('the file', () =>
  shippedSchema('fixtures/saved-checkpoints.schema.json'),
);

/**
 * The checkpoints that `--resume-checkpoints` names.
 * @throws UsageError for a file that contains none, or those of another target, and if `--save-checkpoints` names no directory that exists
 */
export function readSavedCheckpoints(settings: Settings): SavedCheckpoints {
  const { resumeCheckpoints: file, saveCheckpoints, baseUrl } = settings;
  const none = { fromEarlierRun: [], saves: saveCheckpoints !== undefined, issued: [] };
  if (saveCheckpoints !== undefined && !existsSync(dirname(saveCheckpoints)))
    throw new UsageError(`--save-checkpoints ${saveCheckpoints}: its directory does not exist`);
  if (file === undefined) return none;
  const label = `--resume-checkpoints ${file}`;
  const { base_url, checkpoints } = readJson(file, label, parse);
  if (base_url !== baseUrl) throw new UsageError(`${label}: its checkpoints are of ${base_url}`);
  return { ...none, fromEarlierRun: [...checkpoints] };
}

/** Days after which a saved checkpoint shows nothing more. */
const savedDays = 7;

/**
 * Writes the run's checkpoints, together with those of the earlier run that are still to be judged, so that one file serves
 * day after day.
 * @returns why the file could not be written; undefined if it was
 */
export function saveCheckpointsFile(
  { saveCheckpoints: file, baseUrl = '' }: Settings,
  { fromEarlierRun, issued }: SavedCheckpoints,
): string | undefined {
  if (file === undefined) return undefined;
  const oldest = Date.now() - savedDays * 86_400_000;
  const left = fromEarlierRun.filter(({ issued_at }) => Date.parse(issued_at) >= oldest);
  const content: CheckpointsFile = { base_url: baseUrl, checkpoints: [...left, ...issued] };
  try {
    writeJson(file, content, 0o600);
    return undefined;
  } catch (error) {
    return `--save-checkpoints: ${oneLine(error)}`;
  }
}
