import { classesOf, dimensionsOf } from '../arbitraries/dimensions.ts';
import { isSuccess, type Request } from '../client/exchange.ts';
import type { Operation } from '../contract/model.ts';
import type { InputCoverage } from '../report/report.ts';

/** The number of requests in each class. */
type Counts = ReadonlyMap<string, [sent: number, accepted: number, rejected: number]>;

/** Counts the sent, accepted and rejected requests of a run by operation and class. */
export class InputCounter {
  readonly #operations = new Map<string, Counts>();

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
    const counts = this.#countsOf(operation);
    const request = {
      operation,
      target,
      headers: { ...received, ...(body?.chunked && { 'transfer-encoding': 'chunked' }) },
      body: body?.bytes ?? new Uint8Array(),
      knownClaims: authorization?.claims,
      clockOffset,
    };
    for (const each of classesOf(request)) {
      const count = counts.get(each);
      if (count === undefined) continue;
      count[0] += 1;
      if (isSuccess(status)) count[1] += 1;
      if (status >= 400 && status < 500) count[2] += 1;
    }
  }

  /** @param leftOut the classes that are not used, by operation id, with the reason */
  report(leftOut: InputCoverage['left_out']): InputCoverage {
    const operations = [...this.#operations].map(([id, counts]) => [id, Object.fromEntries(counts)]);
    return { operations: Object.fromEntries(operations), left_out: leftOut };
  }

  #countsOf(operation: Operation): Counts {
    const known = this.#operations.get(operation.id);
    if (known !== undefined) return known;
    const names = dimensionsOf(operation).flatMap(({ name, classes }) =>
      classes.map((each) => `${name}: ${each.name}`),
    );
    const counts: Counts = new Map(names.map((name) => [name, [0, 0, 0]]));
    this.#operations.set(operation.id, counts);
    return counts;
  }
}
