import type { Exchange, Request } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import { safeMethods } from '../contract/model.ts';
import type { Control, Logs } from '../control/control.ts';
import { store } from './plainer-data.ts';
import { NotJudged } from './verdict.ts';

/** One action of a requirement, with enough data to repeat it. Steps are in the order of their responses. */
export type Step = ExchangeStep | ControlStep;

export interface ExchangeStep {
  readonly kind: 'exchange';
  /** Without its response, which scripts do not need. */
  readonly exchange: Pick<Exchange, 'number' | 'operation' | 'request'>;
  /** The target's time when the response had arrived, in seconds since the epoch. */
  readonly now: number;
  /** A value in the response that a later request may send: the next checkpoint or an access token. */
  readonly issues?: { readonly member: string; readonly value: string };
  /** The query parameter for the checkpoint: `from`. */
  readonly from: string;
  /** The step that issued the checkpoint that the request sends, and the step that issued its token. */
  readonly checkpointOf?: ExchangeStep | undefined;
  readonly tokenOf?: ExchangeStep | undefined;
}

/** A request to the control protocol. */
export type ControlStep =
  | { readonly kind: 'seed'; readonly dataSet: DataSet }
  | { readonly kind: 'clock'; readonly offsetSeconds: number }
  | { readonly kind: 'read'; readonly path: string };

/** Latest unsafe requests before the decisive one that are kept, because it may depend on them. */
const maximumUnsafe = 12;

/** Maximum characters of a checkpoint or token that is recorded as issued: a target may send megabytes. */
const longestValue = 16 * 1024;

/** Latest steps with the same issued value that are kept. */
const maximumIssuers = 20;

/** Up to this many requests are all kept. */
const fewExchanges = 6;

/** The steps of one requirement on one operation. */
export class Steps {
  readonly #steps: Step[] = [];
  /** The data that was seeded last. */
  seeded: DataSet | undefined;
  /** The steps that issued a value, by member and value. */
  readonly #issuers = new Map<string, ExchangeStep[]>();

  /** @param now the target's time, in seconds since the epoch */
  addExchange(request: Request, exchange: Exchange, now: number): void {
    const { number, operation, response } = exchange;
    const isTokenRequest = request.url !== undefined;
    const json = isTokenRequest || request.method === 'GET' ? response?.json : undefined;
    const pagination = request.operation?.pagination;
    const { from = 'from', next = 'next' } = pagination?.kind === 'checkpoint' ? pagination : {};
    const member = isTokenRequest ? 'access_token' : next;
    const value = isObject(json) ? json[member] : undefined;
    const token = request.authorization?.value.replace(/^Bearer /, '');
    const { url } = exchange.request;
    const checkpoint = new URLSearchParams(url.split('?')[1]).get(from);
    const step: ExchangeStep = {
      kind: 'exchange',
      exchange: { number, operation, request: exchange.request },
      now,
      ...(typeof value === 'string' && value.length <= longestValue && { issues: { member, value } }),
      from,
      checkpointOf: this.#issuerOf(next, checkpoint, url, from),
      tokenOf: this.#issuerOf('access_token', token, url, from),
    };
    this.#steps.push(step);
    if (step.issues === undefined) return;
    const issued = `${member} ${step.issues.value}`;
    this.#issuers.set(issued, [...(this.#issuers.get(issued) ?? []), step].slice(-maximumIssuers));
  }

  add(step: ControlStep): void {
    if (step.kind === 'seed') this.seeded = step.dataSet;
    this.#steps.push(step);
  }

  /** The latest step that issued the value, preferably one whose request differs only in the checkpoint. */
  #issuerOf(
    member: string,
    value: string | null | undefined,
    url: string,
    from: string,
  ): ExchangeStep | undefined {
    if (value === null || value === undefined) return undefined;
    const issuers = this.#issuers.get(`${member} ${value}`) ?? [];
    const same = withoutCheckpoint(url, from);
    const isSame = ({ exchange }: ExchangeStep) => withoutCheckpoint(exchange.request.url, from) === same;
    return issuers.findLast(isSame) ?? issuers.at(-1);
  }

  /** The steps that led to these exchanges: the exchanges, the pages before them, and earlier changes of the data or clock. */
  leadingTo(exchanges: readonly Exchange[]): readonly Step[] {
    const numbers = new Set(exchanges.map(({ number }) => number));
    const isDecisive = (step: Step) => step.kind === 'exchange' && numbers.has(step.exchange.number);
    const last = this.#steps.findLastIndex(isDecisive);
    const steps = this.#steps.slice(0, last + 1);
    const seeded = steps.findLastIndex(({ kind }) => kind === 'seed');
    const start = Math.max(0, seeded);
    const sent = steps.slice(start).filter((step) => step.kind === 'exchange');
    const unsafe = sent.filter(({ exchange }) => !safeMethods.has(exchange.request.method));
    const kept = new Set<Step | undefined>(sent.length <= fewExchanges ? sent : unsafe.slice(-maximumUnsafe));
    // Backwards, because a checkpoint or token was issued before it was sent.
    for (const step of steps.toReversed())
      if (step.kind === 'exchange' && (kept.has(step) || isDecisive(step)))
        kept.add(step).add(step.checkpointOf).add(step.tokenOf);
    const isChange = ({ kind }: Step) => kind === 'seed' || kind === 'clock';
    const read = this.#steps.slice(last + 1).findLast(({ kind }) => kind === 'read');
    return [
      ...steps.filter((step, index) => kept.has(step) || (isChange(step) && index >= start)),
      ...(read === undefined ? [] : [read]),
    ];
  }
}

/** The URL without this parameter, which sends the checkpoint. */
export function withoutCheckpoint(url: string, from: string): string {
  const [path = '', query = ''] = url.split('?');
  const rest = query.split('&').filter((part) => part !== '' && !part.startsWith(`${from}=`));
  return rest.length === 0 ? path : `${path}?${rest.join('&')}`;
}

/** The control protocol with every request about data recorded. Data that the service cannot store throws NotJudged. */
export function recordControl(
  control: Control,
  verifiesSeeds: boolean,
  record: (step: ControlStep) => void,
): Pick<Control, 'seed' | 'inspect'> {
  return {
    async seed(dataSet) {
      record({ kind: 'seed', dataSet });
      const problem = await store(control, dataSet, verifiesSeeds);
      if (problem !== undefined)
        throw new NotJudged(`the service cannot store the data that this requirement needs: ${problem}`);
    },
    inspect() {
      record({ kind: 'read', path: '/tenant' });
      return control.inspect();
    },
  };
}

/** The logs with every read recorded. */
export function recordLogs(logs: Logs, record: (step: ControlStep) => void): Logs {
  return {
    correlationIds(prefix) {
      record({ kind: 'read', path: `/logs?correlation_id_prefix=${encodeURIComponent(prefix)}` });
      return logs.correlationIds(prefix);
    },
  };
}
