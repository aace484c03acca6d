import { classesOf, type Dimension, dimensionsOf } from '../arbitraries/dimensions.ts';
import { isSuccess, type Request } from '../client/exchange.ts';
import type { Operation } from '../contract/model.ts';
import type { InputCoverage } from '../report/report.ts';

/** The one dimension that is not a property of a single request. */
const notCounted = 'history';

/** The dimensions of an operation, and the number of requests in each of their classes. */
interface Counted {
  readonly dimensions: readonly Dimension[];
  readonly counts: Map<string, [sent: number, accepted: number, rejected: number]>;
}

/** Counts the sent, accepted and rejected requests of a run by operation and class. */
export class InputCounter {
  readonly #operations = new Map<string, Counted>();

  /** @param clockOffset seconds by which the target's clock is ahead */
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
    const { dimensions, counts } = this.#countedOf(operation);
    const request = {
      operation,
      target,
      headers: { ...received, ...(body?.chunked && { 'transfer-encoding': 'chunked' }) },
      body: body?.bytes ?? new Uint8Array(),
      knownClaims: authorization?.claims,
      clockOffset,
      history,
    };
    for (const each of classesOf(request, dimensions)) {
      const count = counts.get(each);
      if (count === undefined) continue;
      count[0] += 1;
      if (isSuccess(status)) count[1] += 1;
      if (status >= 400 && status < 500) count[2] += 1;
    }
  }

  /** @param leftOut the classes that are not used, by operation id, with the reason */
  report(leftOut: InputCoverage['left_out']): InputCoverage {
    const operations = [...this.#operations].map(([id, { counts }]) => [id, Object.fromEntries(counts)]);
    return { operations: Object.fromEntries(operations), left_out: leftOut };
  }

  #countedOf(operation: Operation): Counted {
    const known = this.#operations.get(operation.id);
    if (known !== undefined) return known;
    const dimensions = dimensionsOf(operation).filter(({ name }) => name !== notCounted);
    const counts: Counted['counts'] = new Map();
    for (const { name, classes } of dimensions)
      for (const each of classes(operation)) counts.set(`${name}: ${each}`, [0, 0, 0]);
    const counted = { dimensions, counts };
    this.#operations.set(operation.id, counted);
    return counted;
  }
}
