import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Authorization } from '../client/exchange.ts';
import { curl, quote } from '../client/reproduce.ts';
import type { DataSet } from '../contract/data-set.ts';
import type { JsonObject } from '../contract/json.ts';
import { parseScope, scopesClaim } from '../contract/model.ts';
import { permittedScopes } from '../tokens/jwt.ts';
import type { Target } from './connect.ts';
import { type ExchangeStep, type Step, withoutCheckpoint } from './steps.ts';

/** Options of the scripts that repeat failures. */
export interface ScriptOptions {
  /** Shell command that prints a token without scopes: `npx tenant-admin-conformance token --signing-key key.jwk`. */
  readonly tokenCommand: string;
  /** URL of the control protocol, if it may be written to. */
  readonly control?: string;
  /** Directory of the scripts' data sets. */
  readonly directory: string;
}

/** Lifetime in seconds of the tokens that the token command prints. */
const usualLifetime = 3600;

/** Seconds by which the times of a token may differ from the usual ones. */
const tolerance = 240;

/** Shell function that prints a member of a JSON object. The only escape sequence that it understands is `\/`. */
const memberFunction = String.raw`member() { sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' | sed 's#\\/#/#g'; }`;

/** Writes the scripts that repeat the failures of a run, and collects the data sets that they seed. */
export class Scripts {
  /** A minted token without scopes; undefined without a signing key. */
  usual: Pick<Authorization, 'claims' | 'header'> | undefined;
  /** The data sets that the scripts seed, by name. */
  readonly dataSets = new Map<string, DataSet>();
  readonly target: Pick<Target, 'contract' | 'driver'>;
  readonly #options: ScriptOptions | undefined;

  /** @param options without them no scripts are written */
  constructor(target: Scripts['target'], options: ScriptOptions | undefined) {
    this.target = target;
    this.#options = options;
  }

  /**
   * A bash script that repeats the steps: fills the tenant, sets the clock, gets the tokens, sends the requests. Undefined without
   * options.
   * @param dataSet what the tenant contains at the start; undefined if it is not seeded
   */
  write(steps: readonly Step[], dataSet: DataSet | undefined): string | undefined {
    if (this.#options === undefined) return undefined;
    const script = new Script(this, this.#options, dataSet);
    if (dataSet !== undefined) {
      script.control({ kind: 'seed', dataSet });
      script.control({ kind: 'clock', offsetSeconds: 0 });
    }
    const reads = this.#options.control !== undefined;
    const requests = steps.filter(({ kind }) => kind === 'exchange' || (kind === 'read' && reads));
    for (const step of steps) {
      if (step === requests.at(-1) && requests.length > 1)
        script.comment('The response to the next command showed the failure.');
      if (step.kind === 'exchange') script.exchange(step, steps);
      else script.control(step);
    }
    return script.text();
  }
}

class Script {
  readonly #scripts: Scripts;
  readonly #options: ScriptOptions;
  readonly #dataSet: DataSet | undefined;
  readonly #lines: string[] = [];
  readonly #names = new Map<ExchangeStep, string>();
  #token: string | undefined;
  #offsetSeconds = 0;

  constructor(scripts: Scripts, options: ScriptOptions, dataSet: DataSet | undefined) {
    this.#scripts = scripts;
    this.#options = options;
    this.#dataSet = dataSet;
  }

  comment(text: string): void {
    this.#lines.push(`# ${text}`);
  }

  control(step: Exclude<Step, ExchangeStep>): void {
    const { control, directory } = this.#options;
    if (control === undefined) return;
    const put = (path: string, data: string) =>
      this.#lines.push(
        `curl -sS -f -X PUT ${quote(control + path)} -H 'content-type: application/json' ${data}`,
      );
    if (step.kind === 'read') this.#lines.push(`curl -sS ${quote(control + step.path)}; echo`);
    else if (step.kind === 'seed')
      put('/tenant', `--data-binary ${quote(`@${directory}/${this.#nameOf(step.dataSet)}.json`)}`);
    else {
      this.#offsetSeconds = step.offsetSeconds;
      put('/clock', `-d '{"offset_seconds":${step.offsetSeconds}}'`);
    }
  }

  /** The name of a data set that the script seeds, for its file. */
  #nameOf(dataSet: DataSet): string {
    const digest = () => createHash('sha256').update(JSON.stringify(dataSet)).digest('hex');
    const name = dataSet === this.#dataSet ? 'tenant' : `data-${digest().slice(0, 8)}`;
    this.#scripts.dataSets.set(name, dataSet);
    return name;
  }

  exchange(step: ExchangeStep, steps: readonly Step[]): void {
    const needed = steps.find(
      (each) => each.kind === 'exchange' && (each.checkpointOf === step || each.tokenOf === step),
    );
    this.#setToken(step);
    const command = this.#command(step, step.checkpointOf && this.#names.get(step.checkpointOf));
    if (needed === undefined || step.issues === undefined) {
      this.#lines.push(`${command}; echo`);
      return;
    }
    const name = `${step.issues.member === 'access_token' ? 'ISSUED' : 'NEXT'}_${this.#names.size + 1}`;
    this.#names.set(step, name);
    this.#lines.push(
      `RESPONSE=$(${command}); printf '%s\\n\\n' "$RESPONSE"`,
      `${name}=$(printf %s "$RESPONSE" | member ${step.issues.member})`,
    );
  }

  /** @param checkpoint shell variable with the checkpoint, which is not sent if empty; undefined sends the recorded URL */
  #command({ exchange, from }: ExchangeStep, checkpoint: string | undefined): string {
    const request = this.#scrubbed(exchange);
    if (checkpoint === undefined) return curl({ request });
    const command = curl({ request: { ...request, url: withoutCheckpoint(request.url, from) } });
    return `${command} \${${checkpoint}:+-G --data-urlencode "${from}=$${checkpoint}"}`;
  }

  /** The request with placeholders for the secrets in its URL and headers; a recorded body contains them already. */
  #scrubbed({ request }: ExchangeStep['exchange']): ExchangeStep['exchange']['request'] {
    const { driver } = this.#scripts.target;
    const headers = request.headers.map(([name, value]) => [name, driver.secrets.scrub(value)] as const);
    return { ...request, url: driver.secrets.scrub(request.url), headers };
  }

  #setToken(step: ExchangeStep): void {
    const request = this.#scrubbed(step.exchange);
    const isSent = [request.url, request.body ?? '', ...request.headers.flat()].some((text) =>
      text.includes('$TOKEN'),
    );
    // Equal for requests that may carry the same token. A token that is not in Authorization is any valid one.
    const key = JSON.stringify(step.exchange.request.token ?? 'valid');
    if (!isSent || key === this.#token) return;
    this.#token = key;
    const issued = step.tokenOf && this.#names.get(step.tokenOf);
    this.#lines.push(
      issued === undefined ? `TOKEN=$(${this.#tokenCommand(step)}) || exit 1` : `TOKEN=$${issued}`,
    );
  }

  #tokenCommand({ exchange, now }: ExchangeStep): string {
    const { tokenCommand } = this.#options;
    const { usual, target } = this.#scripts;
    const { claims, header: given = {}, signature } = exchange.request.token ?? {};
    const operation = target.contract.operations.find(({ id }) => id === exchange.operation);
    const needed = (operation?.scopes ?? []).map(({ name }) => name);
    const scopes = (names: readonly string[]) =>
      names.length === 0 ? [] : [`--scopes ${quote(names.join(','))}`];
    if (usual === undefined || claims === undefined) {
      const header = { typ: null, kid: null, ...given, jwk: undefined };
      const altered = [`--token-header ${quote(JSON.stringify(header))}`, `--signature ${signature}`];
      return [tokenCommand, ...scopes(needed), ...(signature === undefined ? [] : altered)].join(' ');
    }
    const names = [...(permittedScopes({ scopes: claims.scopes }) ?? [])];
    const isPlain = isDeepStrictEqual(
      claims.scopes,
      scopesClaim(names.flatMap((name) => parseScope(name) ?? [])),
    );
    const changes = this.#changedClaims(claims, now);
    if (!isPlain) changes.scopes = claims.scopes ?? null;
    const header = changed(usual.header ?? {}, given, signature === undefined ? [] : ['jwk']);
    if (signature === 'none') delete header.kid;
    const lifetime =
      typeof claims.exp === 'number' ? Math.round(claims.exp - now) + this.#offsetSeconds : usualLifetime;
    const isUsual = Math.abs(lifetime - usualLifetime) < tolerance;
    return [
      tokenCommand,
      ...(isPlain ? scopes(names) : []),
      ...(isUsual ? [] : [`--expires-in ${lifetime}`]),
      ...(Object.keys(changes).length > 0 ? [`--claims ${quote(JSON.stringify(changes))}`] : []),
      ...(Object.keys(header).length > 0 ? [`--token-header ${quote(JSON.stringify(header))}`] : []),
      ...(signature === undefined ? [] : [`--signature ${signature}`]),
    ].join(' ');
  }

  /** The claims that differ from those of the token command; null stands for a missing one. */
  #changedClaims(claims: JsonObject, now: number): Record<string, unknown> {
    const { iat, exp } = claims;
    const changes = changed(this.#scripts.usual?.claims ?? {}, claims, ['scopes', 'iat', 'exp']);
    if (typeof iat !== 'number') changes.iat = iat ?? null;
    else if (Math.abs(now - iat) > tolerance) changes.iat = iat;
    if (typeof exp !== 'number') changes.exp = exp ?? null;
    return changes;
  }

  text(): string {
    const { control } = this.#options;
    if (control !== undefined && this.#offsetSeconds !== 0) this.control({ kind: 'clock', offsetSeconds: 0 });
    const body = this.#lines.join('\n');
    const first = [
      ...(body.includes('| member ') ? [memberFunction] : []),
      ...(/\$\{?CLIENT_SECRET/.test(body) ? ['CLIENT_SECRET=$CONFORMANCE_CLIENT_SECRET'] : []),
    ];
    return [...first, body].join('\n');
  }
}

/** The members of `now` that differ from `usual`; null for missing ones. */
function changed(usual: JsonObject, now: JsonObject, except: readonly string[]): Record<string, unknown> {
  const names = [...new Set([...Object.keys(usual), ...Object.keys(now)])];
  return Object.fromEntries(
    names
      .filter((name) => !except.includes(name) && !isDeepStrictEqual(usual[name], now[name]))
      .map((name) => [name, now[name] ?? null]),
  );
}
