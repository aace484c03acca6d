import { createHash } from 'node:crypto';
import type { Authorization } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { type ScriptOptions, scriptOf } from './script.ts';
import type { Step } from './steps.ts';
import type { Target } from './target.ts';

/** The scripts of a run, which repeat its failures, and the data sets that they seed. */
export class Scripts {
  /** A minted token without scopes; undefined without a signing key. */
  usual: Authorization | undefined;
  /** By name what scripts have seeded so far. */
  readonly dataSets = new Map<string, DataSet>();
  readonly #target: Target;
  readonly #options: ScriptOptions | undefined;

  /** @param options without them no script is made */
  constructor(target: Target, options: ScriptOptions | undefined) {
    this.#target = target;
    this.#options = options;
  }

  /** Makes scripts for a tenant that contains this data at the start; undefined where it was not seeded. */
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

/** The same for equal data sets. */
function digestOf(dataSet: DataSet): string {
  return createHash('sha256').update(JSON.stringify(dataSet)).digest('hex').slice(0, 8);
}
