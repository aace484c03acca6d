import type { Cloud, Contract, Scope } from '../contract/model.ts';
import type { Authorization, Exchange, Request } from './exchange.ts';

/** What the suite may be able to do to a target (DESIGN: needs). A resource's name stands for knowing one by its id. */
export const capabilities = [
  /** Some valid token for the operation. */
  'token',
  /** A valid token with any scopes. */
  'scopes',
  /** Valid tokens whose scopes are known beforehand. */
  'known_scopes',
  /** A token with any claims, header and signature. */
  'mint',
  /** A client that the token endpoint knows. */
  'client',
  'seed',
  'inspect',
  /** Knowing what the tenant holds, by seeding or inspecting it. */
  'data',
  'clock',
  /** Checkpoints of an age that matters: by moving the clock, or kept by an earlier run. */
  'checkpoint_age',
  'logs',
  /** Not `--read-only`. */
  'write',
  'action',
  'rate_limit_policy',
  'self_service_profile',
] as const;
export type Capability = (typeof capabilities)[number];

/** The server under test, with everything that the run was given to reach it. */
export interface Target {
  readonly contract: Contract;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly cloud: Cloud;
  readonly capabilities: ReadonlySet<Capability>;
  readonly tokens: Tokens;
  /** The client whose credentials the token requirements use. */
  readonly client: ClientCredentials | undefined;
  readonly control: Control | undefined;
  /** The tenant's logs, by the control protocol or by an endpoint of the tenant's own. */
  readonly logs: Logs | undefined;
  readonly resources: Resources;
  /** Sends one request. Never throws for what the target does: a broken connection is an exchange with a `failure`. */
  send(request: Request): Promise<Exchange>;
  /** Ends all sockets. */
  close(): Promise<void>;
}

/** Ids that the run knows of; the suite takes them from flags, profile, inspection or its own data set. */
export interface Resources {
  readonly actions: readonly string[];
  readonly rateLimitPolicies: readonly string[];
  readonly selfServiceProfiles: readonly string[];
}

/** Client credentials (RFC 6749, section 4.4). */
export interface ClientCredentials {
  /** Absolute URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string;
}

/** Where valid tokens come from. */
export interface Tokens {
  /**
   * A valid token that permits all these scopes: exactly these where the source can choose, otherwise any that holds
   * them. Undefined where the source has none such.
   */
  permitting(scopes: readonly Scope[]): Promise<Authorization | undefined>;
  /** The tokens of the clients that are known to have certain scopes, one a client, with the names of these scopes. */
  known(): Promise<readonly KnownToken[]>;
  /** Forgets all tokens that were issued to the suite, so that the next ones are new. */
  invalidate(): void;
  /** A token that came from elsewhere (the token endpoint), as the Authorization to send; it is a secret from now on. */
  remember(token: string): Authorization;
  /** Present with a signing key: any token whatever, good or bad. */
  readonly forge: Forge | undefined;
}

/** A valid token of known scopes. */
export interface KnownToken {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly authorization: Authorization;
}

/** JSON Web Tokens (RFC 7519) made with the signing key, and ones that only look like it. */
export interface Forge {
  /** Claims of a token that is valid now (by the target's clock) and permits the scopes. */
  claims(scopes: readonly Scope[]): Readonly<Record<string, unknown>>;
  /** Signed by the trusted key; `header` fields go over the usual ones, undefined takes one away. */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<Authorization>;
  /** Signed by another key of the same kind, which carries the trusted key's `kid` unless `header` says otherwise. */
  signByStranger(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<Authorization>;
  /** The stranger's public key, as a token may carry it (RFC 7515, section 4.1.3). */
  strangerPublicKey(): Promise<Readonly<Record<string, unknown>>>;
  /** `alg: none` (RFC 7519, section 6): no signature. */
  unsigned(claims: Readonly<Record<string, unknown>>, alg?: string): Authorization;
  /** HS256 with the public key as its secret, in each form in which servers are known to load it. */
  hmacByPublicKey(
    claims: Readonly<Record<string, unknown>>,
  ): Promise<readonly { form: string; token: Authorization }[]>;
  /** A token of the trusted key whose payload was changed after signing. */
  tampered(
    signed: Readonly<Record<string, unknown>>,
    shown: Readonly<Record<string, unknown>>,
  ): Promise<Authorization>;
  /** The target's now, in seconds since the epoch (NumericDate). */
  now(): number;
}

/** What can be read of the tenant's logs. */
export interface Logs {
  /** The correlation IDs of entries that begin so. Throws ControlError or LogError. */
  correlationIds(prefix: string): Promise<readonly string[]>;
}

/** The control protocol (DESIGN, section 5), as far as the target serves it. */
export interface Control extends Logs {
  readonly supports: ReadonlySet<'seed' | 'inspect' | 'clock' | 'logs'>;
  /** `PUT /tenant`. Throws ControlError. */
  seed(data: DataSet): Promise<void>;
  /** `GET /tenant`. Throws ControlError. */
  inspect(): Promise<DataSet>;
  /** `PUT /clock`; tokens follow. Throws ControlError. */
  moveClock(offsetSeconds: number): Promise<void>;
  /** `GET /logs`: the correlation IDs of entries since the last seed, oldest first. Throws ControlError. */
  correlationIds(prefix: string): Promise<readonly string[]>;
}

/** The data of a tenant, as the control protocol carries it. Further fields are free. */
export interface DataSet {
  readonly phone_templates: { readonly enrollment_message: string; readonly verification_message: string };
  readonly experiments: readonly {
    readonly status: string;
    readonly experiment: Readonly<Record<string, unknown>>;
  }[];
  readonly actions: readonly {
    readonly action: Readonly<Record<string, unknown>> & { readonly id: string };
    readonly versions: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly rate_limit_policies: readonly { readonly id: string }[];
  readonly self_service_profiles: readonly {
    readonly id: string;
    readonly custom_text: Readonly<
      Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
    >;
  }[];
}
