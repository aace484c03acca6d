import type { Exchange } from '../client/exchange.ts';
import { count } from '../report/text.ts';
import { createPlan } from './plan.ts';
import { preflight } from './preflight.ts';
import { rehearse } from './rehearsal.ts';
import type { ResolvedOptions } from './settings.ts';
import { suiteOptions } from './suite-options.ts';

/**
 * Prints every request that a run would send, and sends none, neither to the target nor to its control or token endpoint: the
 * embedded fake answers in their place.
 */
export async function dryRunCommand(
  told: ResolvedOptions,
  write: (text: string) => unknown,
): Promise<number> {
  const plan = await createPlan(told);
  const { baseUrl, control, readOnly } = plan.target;
  // Where the control protocol is named, it is taken to be served whole; the embedded fake serves it.
  const controlled = control !== undefined || baseUrl === undefined;
  let printed = 0;
  const { requests } = await rehearse(plan, {
    suite: suiteOptions(told, plan, controlled && readOnly !== true),
    before: async (target) => {
      if (baseUrl !== undefined) await preflight(target, plan, told);
    },
    onRequest(request) {
      printed += 1;
      write(printable(request));
    },
  });
  write(
    [
      `${count(printed)} requests would be sent, none was: ${count(requests)} that judge, and ${count(printed - requests)} to the token and control endpoints and to look at the target first.`,
      'What follows depends on what is answered: here a fake answered that conforms, with the data that this package ships.',
      '',
    ].join('\n'),
  );
  return 0;
}

/** `GET https://…`, the header fields below it, and the size of the body. */
function printable({ method, url, headers, bodyBytes, chunked }: Exchange['request']): string {
  const body =
    bodyBytes === 0 ? [] : [`    (body of ${count(bodyBytes)} bytes${chunked ? ', in chunks' : ''})`];
  return [`${method} ${url}`, ...headers.map(([name, value]) => `    ${name}: ${value}`), ...body, ''].join(
    '\n',
  );
}
