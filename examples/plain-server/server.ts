/**
 * The Tenant Administration Service, written from its specification alone. Run it with
 * `tsx server.ts --port 3000 --control-port 3001 --trusted-jwks keys.json`.
 */
import { createCipheriv, createDecipheriv, type JsonWebKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Behavior, behavior, type Checkpoint, type Client, type Cloud } from './behavior.ts';
import { controlListener } from './control.ts';
import { type DataSet, EMPTY_TENANT, isDataSet, Refusal } from './model.ts';
import { createIssuer, grantToken, readScopes } from './tokens.ts';

export { type Behavior, behavior } from './behavior.ts';
export type { DataSet } from './model.ts';

/** What to serve, and where. */
export interface PlainServerOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default 0. */
  controlPort?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Whose tokens are accepted, besides this server's own. */
  jwks?: { keys: JsonWebKey[] };
  /** Who may ask for tokens at `/oauth/token/`. */
  clients?: Client[];
  /** Default public. */
  cloud?: Cloud;
  /** Default: the specification's two templates, and nothing else. */
  tenant?: DataSet;
  /** Rules to replace, so that a test can break them one at a time. */
  behavior?: Partial<Behavior>;
}

/** A running server. */
export interface PlainServer {
  /** The base address, ending in `/api/v2`. */
  url: string;
  controlUrl: string;
  close(): Promise<void>;
}

interface Call {
  params: readonly string[];
  query: Readonly<Record<string, string>>;
  mediaType: string;
  body: Buffer;
}

interface Route {
  operation: keyof Behavior['requiredScope'];
  method: string;
  /** The segments of the path; undefined stands for a parameter. */
  path: readonly (string | undefined)[];
  query: readonly string[];
  /** Checks the input, and gives what to do once the scopes are known to permit it. */
  prepare(call: Call): () => unknown;
}

interface ServedResponse {
  status: number;
  type: string;
  body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const json = (status: number, body: unknown): ServedResponse => ({
  status,
  type: JSON_TYPE,
  body: JSON.stringify(body),
});
const plain = (status: number, body: string): ServedResponse => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
});

/** Starts the service and its control protocol, each on a port of its own. */
export async function startPlainServer(options: PlainServerOptions = {}): Promise<PlainServer> {
  const { host = '127.0.0.1', cloud = 'public', clients = [] } = options;
  const rules: Behavior = { ...behavior, ...options.behavior };
  const issuer = createIssuer();
  const keys = [...(options.jwks?.keys ?? []), issuer.publicKey];
  let tenant = options.tenant ?? EMPTY_TENANT;
  let logs: { operation: string; references: { correlation_id?: string } }[] = [];
  let clockOffset = 0;
  // Checkpoints are sealed, not stored. A new key with each data set voids those issued before.
  let checkpointKey = randomBytes(32);
  const now = () => Date.now() + clockOffset;

  const routes: Route[] = [
    {
      operation: 'putTemplates',
      method: 'PUT',
      path: ['guardian', 'factors', 'phone', 'templates'],
      query: [],
      prepare({ mediaType, body }) {
        const sent = rules.templatesOf(rules.readFields(mediaType, utf8(body)));
        for (const [field, template] of Object.entries(sent)) {
          const details = rules.templateError(template);
          if (details !== undefined) throw new Refusal('invalid', rules.templateMessage(field, details));
        }
        return () => {
          tenant = { ...tenant, phone_templates: rules.storedTemplates(tenant.phone_templates, sent) };
          return sent;
        };
      },
    },
    {
      operation: 'listExperiments',
      method: 'GET',
      path: ['experimentation', 'experiments'],
      query: ['from', 'take', 'status', 'authentication_flow', 'feature_flag_id'],
      prepare({ query: { from, take: requestedTake, ...filters } }) {
        const take = rules.takeOf(integer(requestedTake, rules.takeDefault(cloud)), cloud);
        if (filters.status !== undefined && !rules.isStatus(filters.status)) {
          throw new Refusal('invalid', 'There is no such status.');
        }
        return () => {
          const entries = tenant.experiments
            .filter((entry) => rules.matches(entry, filters))
            .sort((one, other) => (one.experiment.id < other.experiment.id ? -1 : 1));
          // An invalid checkpoint is treated like one that has expired: the listing starts over.
          const checkpoint = from === undefined ? undefined : unseal(checkpointKey, from);
          const after = checkpoint && rules.startAfter(checkpoint, now());
          const { page, last } = rules.pageOf(entries, after, take);
          const experiments = page.map(({ experiment }) => experiment);
          if (last === undefined) return { experiments };
          return { experiments, next: seal(checkpointKey, { issued: now(), after: last }) };
        };
      },
    },
    {
      operation: 'deletePolicy',
      method: 'DELETE',
      path: ['rate-limit-policies', undefined],
      query: [],
      prepare({ params: [id = ''] }) {
        if (!rules.isPolicyId(id)) throw new Refusal('invalid', 'The policy id is too long.');
        return () => {
          const policies = tenant.rate_limit_policies;
          tenant = { ...tenant, rate_limit_policies: rules.remainingPolicies(policies, id) };
          return { id, deleted: policies.some((policy) => policy.id === id) };
        };
      },
    },
    {
      operation: 'listVersions',
      method: 'GET',
      path: ['actions', 'actions', undefined, 'versions'],
      query: ['page', 'per_page'],
      prepare({ params: [id], query }) {
        const page = integer(query.page, 0);
        if (page < 0) throw new Refusal('invalid', 'page must not be negative.');
        const perPage = rules.perPageOf(integer(query.per_page, rules.perPageDefault), cloud);
        return () => {
          const versions = tenant.actions.find(({ action }) => action.id === id)?.versions ?? [];
          return rules.versionsAnswer([...versions].reverse(), page, perPage);
        };
      },
    },
    {
      operation: 'readCustomText',
      method: 'GET',
      path: ['self-service-profiles', undefined, 'custom-text', undefined, undefined],
      query: [],
      prepare({ params: [id = '', language = '', page = ''] }) {
        if (!rules.isCustomTextPage(language, page)) throw new Refusal('invalid', 'There is no such text.');
        return () => rules.customText(tenant.self_service_profiles, id, language, page);
      },
    },
  ];

  async function answer(request: IncomingMessage): Promise<ServedResponse> {
    const { method = 'GET', headers } = request;
    const body = await readBody(request, rules);
    const url = addressOf(request);
    const mediaType = (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
    const nowSeconds = Math.floor(now() / 1000);

    if (rules.tokenPaths.includes(url.pathname)) {
      if (method !== 'POST') throw new Refusal('wrongMethod', 'Tokens are asked for with POST.');
      const { authorization } = headers;
      const tokenRequest = { mediaType, body: utf8(body), authorization, origin: url.origin, nowSeconds };
      const granted = grantToken(tokenRequest, clients, issuer, rules);
      return json(granted.status, granted.body);
    }

    const [, api, version, ...segments] = url.pathname.split('/').map(decoded);
    const isHere = ({ path }: Route) =>
      path.length === segments.length && path.every((part, at) => (part ?? segments[at]) === segments[at]);
    const route = api === 'api' && version === 'v2' ? routes.find(isHere) : undefined;
    if (route === undefined) throw new Refusal('notFound', 'There is no such address.');
    if (route.method !== method) throw new Refusal('wrongMethod', `Only ${route.method} is offered here.`);

    const scopes = readScopes(headers.authorization, keys, rules, nowSeconds);
    const query = Object.fromEntries(url.searchParams);
    const unknown = Object.keys(query).find((name) => !route.query.includes(name));
    if (unknown !== undefined) throw new Refusal('invalid', `There is no query parameter ${unknown}.`);
    const params = segments.filter((_, at) => route.path[at] === undefined);
    const act = route.prepare({ params, query, mediaType, body });
    const required = rules.requiredScope[route.operation];
    if (!rules.permits(scopes, required)) throw new Refusal('forbidden', `This needs the scope ${required}.`);

    const sentId = headers['x-correlation-id']?.toString();
    const correlation_id = sentId === undefined ? undefined : rules.recordedCorrelationId(method, sentId);
    const result = act();
    if (method !== 'GET') {
      const references = correlation_id === undefined ? {} : { correlation_id };
      logs.push({ operation: route.operation, references });
    }
    return json(200, result);
  }

  const server = createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    answer(request)
      .catch((error: unknown) =>
        error instanceof Refusal ? plain(rules.status[error.reason], error.message) : plain(500, `${error}`),
      )
      .then(({ status, type, body }) => {
        // RFC 6749 (5.1, 5.2) asks this of the token endpoint, whose refusals are the only ones in JSON.
        response.setHeader('Cache-Control', 'no-store').setHeader('Pragma', 'no-cache');
        if (status === 401) response.setHeader('WWW-Authenticate', type === JSON_TYPE ? 'Basic' : 'Bearer');
        response.writeHead(status, { 'Content-Type': type }).end(body);
      });
  });
  const control = createServer(
    controlListener({
      read: async () => tenant,
      async replace(data) {
        if (!isDataSet(data)) throw new TypeError('This is not a data set.');
        tenant = data;
        logs = [];
        checkpointKey = randomBytes(32);
      },
      async setClock(offsetSeconds) {
        clockOffset = offsetSeconds * 1000;
      },
      logs: async () => logs,
    }),
  );

  const origin = await listen(server, host, options.port);
  const controlUrl = await listen(control, host, options.controlPort);
  return {
    url: `${origin}/api/v2`,
    controlUrl,
    async close() {
      await Promise.all([stop(server), stop(control)]);
    },
  };
}

/**
 * The whole body, or a refusal as soon as it is too large. What follows is read and dropped, so that a client
 * that is still sending can read the answer, and its connection stays usable.
 */
function readBody(request: IncomingMessage, rules: Behavior): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    let chunks: Buffer[] = [];
    let received = 0;
    const take = (chunk: Buffer) => {
      received += chunk.length;
      chunks.push(chunk);
      if (!rules.isTooLarge(declared, received)) return;
      chunks = [];
      reject(new Refusal('tooLarge', 'A payload has at most 1 megabyte.'));
    };
    // Once with nothing, so that a declared size is judged before a body comes.
    take(Buffer.alloc(0));
    request.on('data', take);
    request.on('end', () => resolve(rules.bodyOf(chunks)));
    request.on('error', reject);
  });
}

/** The address as the client wrote it: an absolute audience is compared with its origin. */
function addressOf(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
  } catch {
    throw new Refusal('invalid', 'The address cannot be read.');
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('invalid', 'The path is not percent-encoded UTF-8.');
  }
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new Refusal('invalid', 'The body is not UTF-8.');
  }
}

function integer(text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new Refusal('invalid', `${text} is not an integer.`);
  return value;
}

function seal(key: Buffer, { issued, after }: Checkpoint): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  const ciphertext = Buffer.concat([cipher.update(`${issued} ${after}`), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('hex');
}

/** Undefined for anything that was not sealed with this key. */
function unseal(key: Buffer, checkpoint: string): Checkpoint | undefined {
  try {
    const bytes = Buffer.from(checkpoint, 'hex');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(12, 28));
    const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
    const [issued = ''] = text.split(' ', 1);
    return { issued: Number(issued), after: text.slice(issued.length + 1) };
  } catch {
    return undefined;
  }
}

async function listen(server: Server, host: string, port = 0): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      'control-port': { type: 'string', default: '0' },
      'trusted-jwks': { type: 'string' },
    },
  });
  const file = values['trusted-jwks'];
  const { url, controlUrl } = await startPlainServer({
    port: Number(values.port),
    controlPort: Number(values['control-port']),
    ...(file !== undefined && { jwks: JSON.parse(readFileSync(file, 'utf8')) }),
  });
  console.log(`service ${url}\ncontrol ${controlUrl}`);
}
