import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type ExperimentEntry,
  isRecord,
  type PhoneTemplates,
  type Profile,
  Refusal,
  STATUSES,
} from './model.ts';
import { verifySignature } from './tokens.ts';

/** Public-cloud and private-cloud tenants differ in their page sizes (section 8). */
export type Cloud = 'public' | 'private';

/** Someone who may ask for tokens; scopes are written `verb:resource`. */
export interface Client {
  client_id: string;
  client_secret: string;
  scopes: string[];
}

/** What a checkpoint says once opened: when it was issued, and the last id of the page before it. */
export interface Checkpoint {
  issued: number;
  after: string;
}

/** One page, and the id that the next page comes after, if there is a next page. */
export interface Page {
  page: ExperimentEntry[];
  last?: string | undefined;
}

/** All the places where a rule of the specification stands: a test overrides one to break that rule. */
export type Behavior = typeof behavior;

/** 10^6 bytes: the specification does not say which of the two megabytes it means. */
const PAYLOAD_LIMIT = 1_000_000;
const EXPIRY_LEEWAY_SECONDS = 60;
const CHECKPOINT_LIFE_MS = 24 * 60 * 60 * 1000;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The conforming behavior, in the order of the specification's sections. */
export const behavior = {
  // Section 1: payload. The declared size is 0 where none is declared.
  isTooLarge: (declared: number, received: number): boolean => Math.max(declared, received) > PAYLOAD_LIMIT,

  bodyOf: (chunks: readonly Buffer[]): Buffer => Buffer.concat(chunks),

  // Section 4.1: phone templates
  readFields(mediaType: string, body: string): unknown {
    if (mediaType === 'application/x-www-form-urlencoded') {
      const fields = [...new URLSearchParams(body)];
      if (new Set(fields.map(([name]) => name)).size === fields.length) return Object.fromEntries(fields);
      throw new Refusal('invalid', 'A field is repeated.');
    }
    if (mediaType !== 'application/json') throw new Refusal('invalid', 'The body must be JSON or a form.');
    try {
      return JSON.parse(body);
    } catch {
      throw new Refusal('invalid', 'The body is not JSON.');
    }
  },
  templatesOf(fields: unknown): PhoneTemplates {
    const { enrollment_message, verification_message, ...others } = isRecord(fields) ? fields : {};
    if (typeof enrollment_message !== 'string' || typeof verification_message !== 'string') {
      throw new Refusal('invalid', 'enrollment_message and verification_message must both be strings.');
    }
    if (Object.keys(others).length > 0) throw new Refusal('invalid', 'There is a field that is not allowed.');
    return { enrollment_message, verification_message };
  },
  templateError(template: string): string | undefined {
    let open = template.indexOf('{{');
    while (open !== -1) {
      const close = template.indexOf('}}', open + 2);
      const reopened = template.indexOf('{{', open + 2);
      if (close === -1 || (reopened !== -1 && reopened < close)) return `"{{" at ${open + 1} is never closed`;
      open = template.indexOf('{{', close + 2);
    }
    return undefined;
  },
  templateMessage: (field: string, details: string): string => `Invalid ${field} template: ${details}.`,
  storedTemplates: (_before: PhoneTemplates, sent: PhoneTemplates): PhoneTemplates => sent,

  // Section 4.2: experiments. It names 50 and 25, section 8 doubles them on a private cloud, as here.
  takeDefault: (cloud: Cloud): number => (cloud === 'private' ? 50 : 25),
  takeOf(requested: number, cloud: Cloud): number {
    const maximum = cloud === 'private' ? 100 : 50;
    if (requested < 1 || requested > maximum) throw new Refusal('invalid', `take must be 1 to ${maximum}.`);
    return requested;
  },
  isStatus: (status: string): boolean => STATUSES.includes(status),
  matches({ status, experiment }: ExperimentEntry, filters: Readonly<Record<string, string>>): boolean {
    return (
      // What is archived is shown to those who ask for it.
      (filters.status === undefined ? status !== 'archived' : status === filters.status) &&
      (filters.authentication_flow ?? experiment.authentication_flow) === experiment.authentication_flow &&
      (filters.feature_flag_id ?? experiment.feature_flag_id) === experiment.feature_flag_id
    );
  },
  pageOf(entries: ExperimentEntry[], after: string | undefined, take: number): Page {
    const rest = after === undefined ? entries : entries.filter(({ experiment }) => experiment.id > after);
    const page = rest.slice(0, take);
    return { page, last: rest.length > take ? page.at(-1)?.experiment.id : undefined };
  },
  startAfter({ issued, after }: Checkpoint, nowMs: number): string | undefined {
    return nowMs - issued <= CHECKPOINT_LIFE_MS ? after : undefined;
  },

  // Section 4.3: rate limit policies. Spread, so that characters are counted and not UTF-16 halves.
  isPolicyId: (id: string): boolean => [...id].length <= 26,
  remainingPolicies: <T extends { readonly id: string }>(policies: readonly T[], id: string): readonly T[] =>
    policies.filter((policy) => policy.id !== id),

  // Section 4.4: versions of an action
  perPageDefault: 20,
  perPageOf(requested: number, cloud: Cloud): number {
    if (requested < 1) throw new Refusal('invalid', 'per_page must be at least 1.');
    return Math.min(requested, cloud === 'private' ? 100 : 50);
  },
  versionsAnswer: (versions: readonly unknown[], page: number, perPage: number): Record<string, unknown> => ({
    total: versions.length,
    page,
    per_page: perPage,
    versions: versions.slice(page * perPage, (page + 1) * perPage).map(withoutSecretValues),
  }),

  // Section 4.5: custom text
  isCustomTextPage: (language: string, page: string): boolean => language === 'en' && page === 'get-started',
  customText(profiles: readonly Profile[], id: string, language: string, page: string): unknown {
    return profiles.find((profile) => profile.id === id)?.custom_text[language]?.[page] ?? {};
  },

  // Section 5: tokens and scopes. RFC 7519 makes `exp` optional, so a token without one does not expire.
  verifySignature,
  isExpired: (exp: unknown, nowSeconds: number): boolean =>
    exp !== undefined && (typeof exp !== 'number' || exp + EXPIRY_LEEWAY_SECONDS <= nowSeconds),
  requiredScope: {
    putTemplates: 'update:guardian_factors',
    listExperiments: 'read:experimentation',
    deletePolicy: 'delete:rate_limit_policies',
    listVersions: 'read:actions',
    readCustomText: 'read:self_service_profile_custom_texts',
  },
  permits(scopes: Record<string, unknown>, required: string): boolean {
    const [verb, resource = ''] = required.split(':');
    const grant = scopes[resource];
    return isRecord(grant) && Array.isArray(grant.actions) && grant.actions.includes(verb);
  },

  // Section 5: client credentials. Digests have one length, which timingSafeEqual needs, whatever was sent.
  tokenPaths: ['/oauth/token/', '/oauth/token'],
  acceptsSecret: (client: Client, sent: string): boolean =>
    timingSafeEqual(sha256(client.client_secret), sha256(sent)),
  acceptsAudience: (audience: string | null, origin: string): boolean =>
    audience === '/api/v2/' || audience === `${origin}/api/v2/`,
  tokenLifetimeSeconds: 3600,
  scopesClaim(scopes: readonly string[]): unknown {
    const claim: Record<string, { actions: string[] }> = {};
    for (const [verb = '', resource = ''] of scopes.map((scope) => scope.split(':'))) {
      claim[resource] = { actions: [...(claim[resource]?.actions ?? []), verb] };
    }
    return claim;
  },

  // Section 5: request correlation
  recordedCorrelationId: (method: string, sent: string): string | undefined =>
    ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? sent.slice(0, 64) : undefined,

  // Section 7, and what is customary where it names no status
  status: {
    invalid: 400,
    unauthenticated: 401,
    forbidden: 403,
    notFound: 404,
    wrongMethod: 405,
    tooLarge: 413,
  },
};

/** Section 2.3: the values of secrets are not part of the record. */
function withoutSecretValues(version: unknown): unknown {
  if (!isRecord(version) || !Array.isArray(version.secrets)) return version;
  return { ...version, secrets: version.secrets.map(({ name, updated_at }) => ({ name, updated_at })) };
}
