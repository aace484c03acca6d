import { classesOf, dimensionsOf } from '../arbitraries/dimensions.ts';
import type { Request } from '../client/exchange.ts';
import type { Operation } from '../contract/model.ts';
import type { InputCoverage } from '../report/report.ts';

/** What a server remembers is no property of one request. */
const notCounted = 'history';

/** Counts the requests of a run by operation and class, and what came of them. */
export class InputCounter {
  readonly #counts = new Map<string, Map<string, [sent: number, accepted: number, rejected: number]>>();

  /** @param clockOffset seconds between the real now and the target's */
  record(
    { operation, target, headers = [], authorization, body }: Request,
    status: number,
    clockOffset: number,
  ) {
    if (operation === undefined) return;
    const fields = [
      ...headers,
      ['authorization', authorization?.value ?? ''],
      ['content-type', body?.mediaType ?? ''],
    ];
    const received = Object.fromEntries(fields.map(([name = '', value = '']) => [name.toLowerCase(), value]));
    const history = { repeated: false, updated: false, deleted: false };
    const classes = classesOf({
      operation,
      target,
      headers: { ...received, ...(body?.chunked && { 'transfer-encoding': 'chunked' }) },
      body: body?.bytes ?? new Uint8Array(),
      clockOffset,
      history,
    });
    const counts = this.#countsOf(operation);
    for (const each of classes) {
      const count = counts.get(each);
      if (count === undefined) continue;
      count[0] += 1;
      if (status >= 200 && status < 300) count[1] += 1;
      if (status >= 400 && status < 500) count[2] += 1;
    }
  }

  /** @param leftOut by operation id the classes that the target did not accept, with the reason */
  report(leftOut: InputCoverage['left_out']): InputCoverage {
    const operations = [...this.#counts].map(([id, counts]) => [id, Object.fromEntries(counts)]);
    return { operations: Object.fromEntries(operations), left_out: leftOut };
  }

  #countsOf(operation: Operation) {
    const known = this.#counts.get(operation.id);
    if (known !== undefined) return known;
    const counts = new Map<string, [number, number, number]>();
    for (const { name, classes } of dimensionsOf(operation))
      if (name !== notCounted)
        for (const each of classes(operation)) counts.set(`${name}: ${each}`, [0, 0, 0]);
    this.#counts.set(operation.id, counts);
    return counts;
  }
}
