import type { Driver } from '../client/driver.ts';
import { isSuccess } from '../client/exchange.ts';
import type { ReceivedResponse } from '../client/received-response.ts';
import type { DataSet } from '../contract/data-set.ts';
import { DataSetError, parseDataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import { oneLine } from '../contract/one-line.ts';
import type { Clock } from '../tokens/clock.ts';

/** Access to the tenant's logs. */
export interface Logs {
  /** The correlation IDs with this prefix since the last seed, oldest first. Throws ControlError or LogError. */
  correlationIds(prefix: string): Promise<readonly string[]>;
}

/** The control protocol (docs/implementers.md), as far as the target serves it. */
export interface Control extends Logs {
  readonly supports: ReadonlySet<'seed' | 'inspect' | 'clock' | 'logs'>;
  /** `PUT /tenant`. Throws ControlError. */
  seed(data: DataSet): Promise<void>;
  /** `GET /tenant`. Throws ControlError. */
  inspect(): Promise<DataSet>;
  /** `PUT /clock`; tokens follow. Throws ControlError. */
  moveClock(offsetSeconds: number): Promise<void>;
}

/** Thrown if the control endpoint does not follow the protocol. The message is one line. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  /** Status of the response, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

const features = ['seed', 'inspect', 'clock', 'logs'] as const;

/** Maximum size of a response: a whole tenant, or the logs of a long run. */
const maximumBodyBytes = 64 * 1024 * 1024;

/** What helps with a data set that is not valid. */
const inspectHints: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/must be object$/, ' (PHP writes an empty map as [])'],
  [/^phone_templates.* is missing$/, ' (a service that has no messages yet shows their defaults)'],
];

/**
 * Asks the control endpoint what it supports (docs/implementers.md).
 * @param readOnly whether to refuse requests that change the target
 * @throws ControlError
 */
export async function connectControl(
  url: string,
  { driver, clock }: { readonly driver: Driver; readonly clock: Clock },
  readOnly = false,
): Promise<Control> {
  const base = url.replace(/\/+$/, '');
  const request = async (method: string, path: string, body?: unknown): Promise<ReceivedResponse> => {
    if (method !== 'GET' && readOnly) {
      throw new ControlError(`control: ${method} ${path} is not sent with --read-only`);
    }
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { response, failure } = await driver.call(
      {
        operation: undefined,
        method,
        target: path,
        url: base + path,
        ...(bytes === undefined ? {} : { body: { mediaType: 'application/json', bytes } }),
      },
      { maximumBodyBytes },
    );
    const hint = path === '/' ? '. Is this the address of a control endpoint (docs/implementers.md)?' : '';
    if (response === undefined)
      throw new ControlError(`control: ${method} ${base}${path}: ${failure?.message}${hint}`);
    if (!isSuccess(response.status)) {
      const isPage = response.text.trimStart().startsWith('<');
      const said = isPage ? 'a page of HTML' : oneLine(response.text.slice(0, 200));
      throw new ControlError(
        `control: ${method} ${base}${path} answered ${response.status}${said && `: ${said}`}${hint}`,
        response.status,
      );
    }
    return response;
  };
  const list = async (path: string, field: string): Promise<readonly unknown[]> => {
    const { json } = await request('GET', path);
    const value = isObject(json) ? json[field] : undefined;
    if (!Array.isArray(value))
      throw new ControlError(`control: GET ${base}${path} answered without "${field}"`);
    return value;
  };

  const named = await list('/', 'supports');
  return {
    supports: new Set(features.filter((feature) => named.includes(feature))),
    async seed(data: DataSet) {
      await request('PUT', '/tenant', data);
    },
    async inspect() {
      const { json } = await request('GET', '/tenant');
      try {
        return parseDataSet(json);
      } catch (error) {
        if (!(error instanceof DataSetError)) throw error;
        const [, hint = ''] = inspectHints.find(([pattern]) => pattern.test(error.message)) ?? [];
        throw new ControlError(
          `control: GET ${base}/tenant is not a valid data set: ${error.message}${hint}`,
        );
      }
    },
    async moveClock(offsetSeconds: number) {
      await request('PUT', '/clock', { offset_seconds: offsetSeconds });
      clock.offsetSeconds = offsetSeconds;
    },
    async correlationIds(prefix: string) {
      const entries = await list(`/logs?correlation_id_prefix=${encodeURIComponent(prefix)}`, 'logs');
      return entries.flatMap((entry) => {
        const references = isObject(entry) ? entry.references : undefined;
        const id = isObject(references) ? references.correlation_id : undefined;
        return typeof id === 'string' && id.startsWith(prefix) ? [id] : [];
      });
    },
  };
}
