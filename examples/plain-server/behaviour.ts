import { createHash, type JsonWebKey, timingSafeEqual } from 'node:crypto';
import {
  type DataSet,
  type ExperimentEntry,
  isRecord,
  type PhoneTemplates,
  type Profile,
  type Reason,
  Refusal,
  STATUSES,
  type Texts,
} from './model.ts';
import { verifySignature } from './tokens.ts';

/** Public-cloud and private-cloud tenants differ in their page sizes (section 8). */
export type Cloud = 'public' | 'private';

export type Operation = 'putTemplates' | 'listExperiments' | 'deletePolicy' | 'listVersions' | 'readCustomText';

export interface Client {
  client_id: string;
  client_secret: string;
  /** As `verb:resource`. */
  scopes: string[];
}

/** What a checkpoint says when it is opened: when it was issued, and the last id of the page before. */
export interface Checkpoint {
  issued: number;
  after: string;
}

type Policies = DataSet['rate_limit_policies'];
type Query = Readonly<Record<string, string>>;

/** Every place where a rule of the specification stands. A test overrides one to break that rule. */
export interface Behaviour {
  /** Section 7, and the customary status where it names none. */
  status: Record<Reason, number>;

  // Section 5: tokens, scopes, client credentials
  verifySignature(header: Record<string, unknown>, signed: string, signature: string, keys: JsonWebKey[]): boolean;
  isExpired(exp: unknown, nowSeconds: number): boolean;
  requiredScope: Record<Operation, string>;
  permits(scopes: Record<string, unknown>, required: string): boolean;
  tokenPaths: string[];
  acceptsClient(client: Client, secret: string): boolean;
  acceptsAudience(audience: string | undefined, origin: string): boolean;
  scopesClaim(scopes: string[]): unknown;
  tokenLifetimeSeconds: number;

  // Sections 1 and 5: payload, correlation
  isTooLarge(declaredBytes: number, receivedBytes: number): boolean;
  recordedCorrelationId(method: string, sent: string): string | undefined;

  // Section 4.1: phone templates
  readFields(mediaType: string, body: string): unknown;
  templatesOf(fields: unknown): PhoneTemplates;
  templateError(template: string): string | undefined;
  templateMessage(field: string, details: string): string;
  storedTemplates(before: PhoneTemplates, sent: PhoneTemplates): PhoneTemplates;

  // Section 4.2: experiments and their checkpoints
  takeMaximum(cloud: Cloud): number;
  takeDefault(cloud: Cloud): number;
  takeOf(asked: number, maximum: number): number;
  isStatus(status: string): boolean;
  matches(entry: ExperimentEntry, filters: Query): boolean;
  /** One page, and the id after which the next one begins, if there is one. */
  pageOf(entries: ExperimentEntry[], after: string | undefined, take: number): { page: ExperimentEntry[]; last?: string };
  startAfter(checkpoint: Checkpoint, now: number): string | undefined;

  // Section 4.4: versions of an action
  perPageDefault: number;
  perPageOf(asked: number, cloud: Cloud): number;
  versionsAnswer<T>(versions: T[], page: number, perPage: number): Record<string, unknown>;

  // Sections 4.3 and 4.5: policies, custom text
  isPolicyId(id: string): boolean;
  remainingPolicies(policies: Policies, id: string): Policies;
  isCustomTextPath(language: string, page: string): boolean;
  customText(profiles: readonly Profile[], id: string, language: string, page: string): Texts;
}

/** A megabyte is 10^6 bytes here; the specification does not say which of the two it means. */
const PAYLOAD_LIMIT = 1_000_000;
const LEEWAY_SECONDS = 60;
const CHECKPOINT_LIFE = 24 * 60 * 60 * 1000;
const FIELDS = ['enrollment_message', 'verification_message'];

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The conforming behaviour. */
export const behaviour: Behaviour = {
  status: { invalid: 400, unauthenticated: 401, forbidden: 403, notFound: 404, wrongMethod: 405, tooLarge: 413 },

  verifySignature,
  // RFC 7519 makes `exp` optional, so a token without one does not expire.
  isExpired: (exp, nowSeconds) =>
    exp !== undefined && (typeof exp !== 'number' || exp + LEEWAY_SECONDS <= nowSeconds),
  requiredScope: {
    putTemplates: 'update:guardian_factors',
    listExperiments: 'read:experimentation',
    deletePolicy: 'delete:rate_limit_policies',
    listVersions: 'read:actions',
    readCustomText: 'read:self_service_profile_custom_texts',
  },
  permits(scopes, required) {
    const [verb, resource = ''] = required.split(':');
    const grant = scopes[resource];
    return isRecord(grant) && Array.isArray(grant.actions) && grant.actions.includes(verb);
  },
  tokenPaths: ['/oauth/token/', '/oauth/token'],
  // Digests have one length, which timingSafeEqual needs, whatever was sent.
  acceptsClient: (client, secret) => timingSafeEqual(sha256(client.client_secret), sha256(secret)),
  acceptsAudience: (audience, origin) => audience === '/api/v2/' || audience === `${origin}/api/v2/`,
  scopesClaim(scopes) {
    const pairs = scopes.map((scope) => scope.split(':'));
    const actions = (resource?: string) => pairs.filter((pair) => pair[1] === resource).map(([verb]) => verb);
    return Object.fromEntries(pairs.map(([, resource = '']) => [resource, { actions: actions(resource) }]));
  },
  tokenLifetimeSeconds: 3600,

  isTooLarge: (declared, received) => declared > PAYLOAD_LIMIT || received > PAYLOAD_LIMIT,
  recordedCorrelationId: (method, sent) =>
    ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? sent.slice(0, 64) : undefined,

  readFields(mediaType, body) {
    if (mediaType === 'application/json') {
      try {
        return JSON.parse(body);
      } catch {
        throw new Refusal('invalid', 'The body is not JSON.');
      }
    }
    if (mediaType !== 'application/x-www-form-urlencoded') throw new Refusal('invalid', 'The body must be JSON or a form.');
    const fields = [...new URLSearchParams(body)];
    if (new Set(fields.map(([name]) => name)).size < fields.length) throw new Refusal('invalid', 'A field is repeated.');
    return Object.fromEntries(fields);
  },
  templatesOf(fields) {
    if (!isRecord(fields)) throw new Refusal('invalid', 'The body must be an object.');
    const { enrollment_message, verification_message, ...others } = fields;
    if (typeof enrollment_message !== 'string' || typeof verification_message !== 'string') {
      throw new Refusal('invalid', `${FIELDS.join(' and ')} must both be strings.`);
    }
    if (Object.keys(others).length > 0) throw new Refusal('invalid', `Only ${FIELDS.join(' and ')} are allowed.`);
    return { enrollment_message, verification_message };
  },
  templateError(template) {
    let open = template.indexOf('{{');
    while (open !== -1) {
      const close = template.indexOf('}}', open + 2);
      const reopened = template.indexOf('{{', open + 2);
      if (close === -1 || (reopened !== -1 && reopened < close)) {
        return `the "{{" at character ${open + 1} has no "}}"`;
      }
      open = template.indexOf('{{', close + 2);
    }
    return undefined;
  },
  templateMessage: (field, details) => `Invalid ${field} template: ${details}.`,
  storedTemplates: (_before, sent) => sent,

  // Section 4.2 names 50 and 25, section 8 doubles them on a private cloud: the general rule is taken here.
  takeMaximum: (cloud) => (cloud === 'private' ? 100 : 50),
  takeDefault: (cloud) => (cloud === 'private' ? 50 : 25),
  takeOf(asked, maximum) {
    if (asked < 1 || asked > maximum) throw new Refusal('invalid', `take must be 1 to ${maximum}.`);
    return asked;
  },
  isStatus: (status) => STATUSES.includes(status),
  matches({ status, experiment }, filters) {
    // What is archived is shown to those who ask for it.
    return (
      (filters.status === undefined ? status !== 'archived' : status === filters.status) &&
      (filters.authentication_flow ?? experiment.authentication_flow) === experiment.authentication_flow &&
      (filters.feature_flag_id ?? experiment.feature_flag_id) === experiment.feature_flag_id
    );
  },
  pageOf(entries, after, take) {
    const rest = after === undefined ? entries : entries.filter(({ experiment }) => experiment.id > after);
    const page = rest.slice(0, take);
    const last = page.at(-1)?.experiment.id;
    return rest.length > take && last !== undefined ? { page, last } : { page };
  },
  startAfter: ({ issued, after }, now) => (now - issued <= CHECKPOINT_LIFE ? after : undefined),

  perPageDefault: 20,
  perPageOf(asked, cloud) {
    if (asked < 1) throw new Refusal('invalid', 'per_page must be at least 1.');
    return Math.min(asked, cloud === 'private' ? 100 : 50);
  },
  versionsAnswer: (versions, page, perPage) => ({
    total: versions.length,
    page,
    per_page: perPage,
    versions: versions.slice(page * perPage, (page + 1) * perPage),
  }),

  // Spread, so that characters are counted and not UTF-16 halves.
  isPolicyId: (id) => [...id].length <= 26,
  remainingPolicies: (policies, id) => policies.filter((policy) => policy.id !== id),
  isCustomTextPath: (language, page) => language === 'en' && page === 'get-started',
  customText: (profiles, id, language, page) =>
    profiles.find((profile) => profile.id === id)?.custom_text[language]?.[page] ?? {},
};
