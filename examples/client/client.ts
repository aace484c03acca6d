/** A client as many are written: one hard-wired tenant, a token that is kept, pages walked to their end, errors as classes. */

/** An error response, as its body describes it. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly statusCode: number;
  readonly errorCode: string | undefined;

  constructor(statusCode: number, message: string, errorCode: string | undefined) {
    super(message);
    this.statusCode = statusCode;
    this.errorCode = errorCode;
  }
}

/** The rate limit is exceeded. */
export class TooManyRequestsError extends ApiError {
  override name = 'TooManyRequestsError';
  /** Seconds to wait. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(429, message, 'too_many_requests');
    this.retryAfter = retryAfter;
  }
}

export interface ClientOptions {
  /** `https://tenant.example` */
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Json = Readonly<Record<string, unknown>>;

/** A client of the Tenant Administration Service. */
export class AdminClient {
  readonly #options: ClientOptions;
  #token: { readonly text: string; readonly expires: number } | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** One page of the experiments. */
  listExperiments(query: Record<string, string> = {}): Promise<Json> {
    return this.#get(`/experimentation/experiments?${new URLSearchParams(query)}`);
  }

  /** All experiments, page after page. */
  async *experiments(take: number): AsyncGenerator<Json> {
    for (let from: string | undefined = ''; from !== undefined; ) {
      const page: Json = await this.listExperiments({ take: String(take), ...(from && { from }) });
      yield* items(page.experiments);
      from = typeof page.next === 'string' ? page.next : undefined;
    }
  }

  /** All versions of an action, page after page. */
  async *versions(actionId: string, perPage: number): AsyncGenerator<Json> {
    const path = `/actions/actions/${encodeURIComponent(actionId)}/versions`;
    for (let page = 0, more = true; more; page += 1) {
      const versions = items((await this.#get(`${path}?page=${page}&per_page=${perPage}`)).versions);
      yield* versions;
      more = versions.length === perPage;
    }
  }

  /** Deletes a rate limit policy. */
  async deleteRateLimitPolicy(id: string): Promise<void> {
    await this.#send('DELETE', `/rate-limit-policies/${encodeURIComponent(id)}`);
  }

  #get(path: string): Promise<Json> {
    return this.#send('GET', path);
  }

  async #send(method: string, path: string): Promise<Json> {
    const headers = { authorization: `Bearer ${await this.#authorize()}`, 'user-agent': 'admin-client/1.0' };
    return read(await fetch(`${this.#options.tenant}/api/v2${path}`, { method, headers }));
  }

  async #authorize(): Promise<string> {
    if (this.#token !== undefined && this.#token.expires > Date.now()) return this.#token.text;
    const { tenant, clientId, clientSecret } = this.#options;
    const answer = await fetch(`${tenant}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        audience: `${tenant}/api/v2/`,
      }),
    });
    const { access_token, expires_in } = await read(answer);
    this.#token = { text: String(access_token), expires: Date.now() + Number(expires_in) * 1000 };
    return this.#token.text;
  }
}

/** The response's body. Throws an `ApiError` for an error response. */
async function read(answer: Response): Promise<Json> {
  const text = await answer.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  const found = isObject(body) ? body : {};
  if (answer.ok) return found;
  const message = String(found.message ?? found.error_description ?? answer.statusText);
  if (answer.status === 429)
    throw new TooManyRequestsError(message, Number(answer.headers.get('retry-after')));
  const code = found.errorCode ?? found.error;
  throw new ApiError(answer.status, message, typeof code === 'string' ? code : undefined);
}

function items(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
