import { randomUUID, timingSafeEqual } from 'node:crypto';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import { Liquid } from 'liquidjs';

/** The domain of the Tenant Administration Service, without HTTP: what all servers in this folder share. */

/** The data of one tenant, as the control protocol carries it. Each record keeps the fields that it came with. */
export interface Tenant {
  phone_templates: PhoneTemplates;
  experiments: { status: string; experiment: { id: string; [field: string]: unknown } }[];
  actions: { action: { id: string }; versions: { id: string; secrets?: { value?: unknown }[] }[] }[];
  rate_limit_policies: { id: string }[];
  self_service_profiles: {
    id: string;
    custom_text: Record<string, Record<string, Record<string, string>>>;
  }[];
}

export interface PhoneTemplates {
  enrollment_message: string;
  verification_message: string;
}

/** A refusal of a request, with the HTTP status that says so. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const STATUSES = ['draft', 'active', 'paused', 'completed', 'archived'] as const;

/** Scopes of the operations; the last four are inferred from the catalogue. */
export const SCOPES = {
  updateTemplates: ['update', 'guardian_factors'],
  listExperiments: ['read', 'experimentation'],
  deletePolicy: ['delete', 'rate_limit_policies'],
  listVersions: ['read', 'actions'],
  readCustomText: ['read', 'self_service_profile_custom_texts'],
} as const;

const MAXIMUM_PAGE_SIZE = 50;
const CHECKPOINT_LIFETIME_MS = 24 * 60 * 60 * 1000;
const LOGGED_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

const liquid = new Liquid();

/** What the service needs to know of the world. */
export interface ServiceOptions {
  /** Public keys whose tokens are accepted besides the service's own. */
  readonly trusted?: JSONWebKeySet;
  /** The client that may ask for tokens. */
  readonly client?: { readonly id: string; readonly secret: string };
}

/** One tenant of the service. */
export class TenantService {
  tenant: Tenant = {
    phone_templates: {
      enrollment_message:
        '{{code}} is your verification code for {{tenant.friendly_name}}. Please enter this code to verify your enrollment.',
      verification_message: '{{code}} is your verification code for {{tenant.friendly_name}}',
    },
    experiments: [],
    actions: [],
    rate_limit_policies: [],
    self_service_profiles: [],
  };
  logs: { references: { correlation_id: string } }[] = [];
  clockOffsetSeconds = 0;
  /** Public keys of accepted tokens. */
  readonly jwks: JSONWebKeySet;
  readonly #checkpoints = new Map<string, { issuedAt: number; after: string }>();
  readonly #privateKey: SigningKey;
  readonly #options: ServiceOptions;

  private constructor(jwks: JSONWebKeySet, privateKey: SigningKey, options: ServiceOptions) {
    this.jwks = jwks;
    this.#privateKey = privateKey;
    this.#options = options;
  }

  /** A service with a signing key of its own. */
  static async create(options: ServiceOptions = {}): Promise<TenantService> {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    const own = { ...(await exportJWK(publicKey)), kid: 'own', alg: 'RS256', use: 'sig' };
    return new TenantService({ keys: [own, ...(options.trusted?.keys ?? [])] }, privateKey, options);
  }

  /** The service's now. */
  now(): Date {
    return new Date(Date.now() + this.clockOffsetSeconds * 1000);
  }

  /** Replaces all data: earlier checkpoints and log entries are discarded. */
  seed(tenant: Tenant): void {
    this.tenant = tenant;
    this.logs = [];
    this.#checkpoints.clear();
  }

  /** Writes the log entry of a request, with at most 64 characters of its correlation ID. */
  log(method: string, correlationId: string | undefined): void {
    if (correlationId !== undefined && LOGGED_METHODS.includes(method))
      this.logs.push({ references: { correlation_id: correlationId.slice(0, 64) } });
  }

  /** Throws HttpError 403 unless the `scopes` claim contains the scope. */
  authorize(claims: Record<string, unknown>, operation: keyof typeof SCOPES): void {
    const [verb, resource] = SCOPES[operation];
    const scopes = claims.scopes;
    const entry = isRecord(scopes) && Object.hasOwn(scopes, resource) ? scopes[resource] : undefined;
    const actions = isRecord(entry) ? entry.actions : undefined;
    if (!Array.isArray(actions) || !actions.includes(verb))
      throw new HttpError(403, `Insufficient scope, expected ${verb}:${resource}`);
  }

  /** §4.1. The caller has checked the two fields against their schema. */
  updateTemplates({ enrollment_message, verification_message }: PhoneTemplates): PhoneTemplates {
    for (const [name, text] of Object.entries({ enrollment_message, verification_message })) {
      try {
        liquid.parse(text);
      } catch (error) {
        const details = error instanceof Error ? error.message : String(error);
        throw new HttpError(400, `Invalid ${name} template: ${details}.`);
      }
    }
    this.tenant.phone_templates = { enrollment_message, verification_message };
    return this.tenant.phone_templates;
  }

  /** §4.2. */
  listExperiments(query: {
    from?: string | undefined;
    take?: number | undefined;
    status?: string | undefined;
    authentication_flow?: string | undefined;
    feature_flag_id?: string | undefined;
  }) {
    const { from, take = 25, status, authentication_flow, feature_flag_id } = query;
    const matching = this.tenant.experiments
      .filter((entry) => (status === undefined ? entry.status !== 'archived' : entry.status === status))
      .map(({ experiment }) => experiment)
      .filter((each) => authentication_flow === undefined || each.authentication_flow === authentication_flow)
      .filter((each) => feature_flag_id === undefined || each.feature_flag_id === feature_flag_id)
      .toSorted((left, right) => (left.id < right.id ? -1 : 1));
    const after = from === undefined ? undefined : this.#positionOf(from);
    const rest = after === undefined ? matching : matching.filter(({ id }) => id > after);
    const experiments = rest.slice(0, take);
    const last = experiments.at(-1);
    if (last === undefined || rest.length <= take) return { experiments };
    const next = randomUUID();
    this.#checkpoints.set(next, { issuedAt: this.now().getTime(), after: last.id });
    return { experiments, next };
  }

  #positionOf(checkpoint: string): string | undefined {
    const found = this.#checkpoints.get(checkpoint);
    if (found === undefined) throw new HttpError(400, 'Unknown checkpoint');
    return this.now().getTime() - found.issuedAt > CHECKPOINT_LIFETIME_MS ? undefined : found.after;
  }

  /** §4.3. */
  deletePolicy(id: string): void {
    const left = this.tenant.rate_limit_policies.filter((policy) => policy.id !== id);
    if (left.length === this.tenant.rate_limit_policies.length)
      throw new HttpError(404, 'There is no such policy');
    this.tenant.rate_limit_policies = left;
  }

  /** §4.4. A `perPage` above the maximum gives pages of the maximum. */
  listVersions(actionId: string, page = 0, perPage = 20) {
    const found = this.tenant.actions.find(({ action }) => action.id === actionId);
    if (found === undefined) throw new HttpError(404, 'There is no such action');
    const size = Math.min(perPage, MAXIMUM_PAGE_SIZE);
    const versions = found.versions.slice(page * size, (page + 1) * size).map(({ secrets, ...version }) => ({
      ...version,
      ...(secrets && { secrets: secrets.map(({ value: _secret, ...shown }) => shown) }),
    }));
    return { total: found.versions.length, page, per_page: size, versions };
  }

  /** §4.5. */
  readCustomText(id: string, language: string, page: string): Record<string, string> {
    const profile = this.tenant.self_service_profiles.find((each) => each.id === id);
    if (profile === undefined) throw new HttpError(404, 'There is no such profile');
    return profile.custom_text[language]?.[page] ?? {};
  }

  /** §5, item 4: the token endpoint, with the fields of RFC 6749, section 4.4.2. Throws HttpError. */
  async issueToken(form: Record<string, unknown>) {
    const { client } = this.#options;
    if (form.grant_type !== 'client_credentials') throw new HttpError(400, 'unsupported_grant_type');
    const known =
      client !== undefined &&
      form.client_id === client.id &&
      typeof form.client_secret === 'string' &&
      sameText(form.client_secret, client.secret);
    if (!known) throw new HttpError(401, 'invalid_client');
    if (form.audience !== '/api/v2/') throw new HttpError(403, 'access_denied');
    const scopes = Object.fromEntries(
      Object.values(SCOPES)
        .filter((scope) => scope !== SCOPES.readCustomText)
        .map(([verb, resource]) => [resource, { actions: [verb] }]),
    );
    const seconds = Math.floor(this.now().getTime() / 1000);
    const token = await new SignJWT({ scopes })
      .setProtectedHeader({ alg: 'RS256', kid: 'own' })
      .setSubject(`${client.id}@clients`)
      .setAudience('/api/v2/')
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 3600)
      .sign(this.#privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: 3600 };
  }
}

function sameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
