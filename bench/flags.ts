import { parseArgs } from 'node:util';
import { didYouMean, oneLine, UsageError } from '../lib/cli/usage.ts';

export interface Flags {
  /** Names of the sections that are measured. */
  readonly sections: readonly string[];
  readonly compare: string | undefined;
  readonly isQuick: boolean;
}

/** Reads the flags of `npm run bench`. @throws UsageError of one line */
export function readFlags(argv: readonly string[], sections: readonly string[]): Flags {
  const { compare, only, quick } = parse(argv);
  for (const name of only) {
    if (!sections.includes(name))
      throw new UsageError(
        `--only ${name}: the bench has ${sections.join(', ')}${didYouMean(name, sections)}`,
      );
  }
  return {
    sections: only.length === 0 ? sections : sections.filter((name) => only.includes(name)),
    compare,
    isQuick: quick,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        compare: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // What Node says after its first sentence is about other programs.
    const [first] = oneLine(error).split('. ');
    throw new UsageError(`${first}; there are --only SECTION (repeatable), --quick and --compare OLD.json`);
  }
}
