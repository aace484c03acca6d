import { createHash } from 'node:crypto';
import type { Authorization } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { type ScriptOptions, scriptOf } from './script.ts';
import type { Step } from './steps.ts';
import type { Target } from './target.ts';

/** Writes the scripts that repeat the failures of a run, and collects the data sets that they seed. */
export class Scripts {
  /** A minted token without scopes; undefined without a signing key. */
  usual: Authorization | undefined;
  /** The data sets that the scripts seed, by name. */
  readonly dataSets = new Map<string, DataSet>();
  readonly #target: Target;
  readonly #options: ScriptOptions | undefined;

  /** @param options without them no scripts are written */
  constructor(target: Target, options: ScriptOptions | undefined) {
    this.#target = target;
    this.#options = options;
  }

  /** Returns a function that writes scripts; undefined without options. @param dataSet what the tenant was seeded with */
  writer(dataSet: DataSet | undefined): ((steps: readonly Step[]) => string) | undefined {
    const options = this.#options;
    if (options === undefined) return undefined;
    return (steps) =>
      scriptOf(steps, {
        ...options,
        dataSet,
        usual: this.usual,
        scrub: (text) => this.#target.scrub(text),
        operations: this.#target.contract.operations,
        nameOf: (seeded) => {
          const name = seeded === dataSet ? 'tenant' : `data-${digestOf(seeded)}`;
          this.dataSets.set(name, seeded);
          return name;
        },
      });
  }
}

/** Short hash of the data set, as part of a file name. */
function digestOf(dataSet: DataSet): string {
  return createHash('sha256').update(JSON.stringify(dataSet)).digest('hex').slice(0, 8);
}
