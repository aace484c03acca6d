/** The Tenant Administration Service in Hono: body limit, secure headers and compression of Hono, valibot, jose. */
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { vValidator } from '@hono/valibot-validator';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as v from 'valibot';
import { HttpError, type SCOPES, STATUSES, type TenantService } from './service.ts';
import { main } from './start.ts';

const PhoneTemplates = v.strictObject({ enrollment_message: v.string(), verification_message: v.string() });
const integer = v.pipe(v.string(), v.regex(/^-?\d+$/), v.transform(Number));
const ExperimentsQuery = v.object({
  from: v.optional(v.string()),
  take: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(50))),
  status: v.optional(v.picklist(STATUSES)),
  authentication_flow: v.optional(v.string()),
  feature_flag_id: v.optional(v.string()),
});
const VersionsQuery = v.object({
  page: v.optional(v.pipe(integer, v.minValue(0))),
  per_page: v.optional(v.pipe(integer, v.minValue(1), v.maxValue(50))),
});
const PolicyParams = v.object({ id: v.pipe(v.string(), v.maxLength(26)) });
const CustomTextParams = v.object({
  id: v.string(),
  language: v.literal('en'),
  page: v.literal('get-started'),
});

export function listener(service: TenantService): RequestListener {
  const keys = createLocalJWKSet(service.jwks);

  const permit =
    (operation: keyof typeof SCOPES): MiddlewareHandler =>
    async (context, next) => {
      service.log(context.req.method, context.req.header('x-correlation-id'));
      const [, token] = /^Bearer (\S+)$/.exec(context.req.header('authorization') ?? '') ?? [];
      if (token === undefined) throw new HttpError(401, 'A bearer token is required');
      const { payload } = await jwtVerify(token, keys, { currentDate: service.now() }).catch(() => {
        throw new HttpError(401, 'Invalid or expired token');
      });
      service.authorize(payload, operation);
      await next();
    };

  const limit = bodyLimit({ maxSize: 1024 * 1024 });
  const api = new Hono();
  api.put('/guardian/factors/phone/templates', permit('updateTemplates'), limit, async (context) => {
    const body = v.safeParse(PhoneTemplates, await readBody(context));
    if (!body.success) throw new HttpError(400, body.issues[0].message);
    return context.json(service.updateTemplates(body.output));
  });
  api.get(
    '/experimentation/experiments',
    permit('listExperiments'),
    vValidator('query', ExperimentsQuery),
    (context) => context.json(service.listExperiments(context.req.valid('query'))),
  );
  api.delete(
    '/rate-limit-policies/:id',
    permit('deletePolicy'),
    limit,
    vValidator('param', PolicyParams),
    (context) => {
      service.deletePolicy(context.req.valid('param').id);
      return context.body(null, 204);
    },
  );
  api.get(
    '/actions/actions/:actionId/versions',
    permit('listVersions'),
    vValidator('query', VersionsQuery),
    (context) => {
      const { page, per_page } = context.req.valid('query');
      return context.json(service.listVersions(context.req.param('actionId'), page, per_page));
    },
  );
  api.get(
    '/self-service-profiles/:id/custom-text/:language/:page',
    permit('readCustomText'),
    vValidator('param', CustomTextParams),
    (context) => {
      const { id, language, page } = context.req.valid('param');
      return context.json(service.readCustomText(id, language, page));
    },
  );

  const app = new Hono();
  app.use(secureHeaders(), compress());
  app.route('/api/v2', api);
  for (const path of ['/oauth/token', '/oauth/token/'])
    app.post(path, async (context) =>
      context.json(await service.issueToken(Object(await readBody(context)))),
    );
  app.onError((error, context) => {
    if (error instanceof HttpError)
      return Response.json({ message: error.message }, { status: error.status });
    if (error instanceof HTTPException) return error.getResponse();
    return context.json({ message: 'Internal server error' }, 500);
  });
  return getRequestListener(app.fetch);
}

/** The body by its media type. Throws HttpError for one that cannot be read. */
async function readBody({ req }: Context): Promise<unknown> {
  const mediaType = req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType === 'application/x-www-form-urlencoded') return req.parseBody({ all: true });
  if (mediaType !== 'application/json') throw new HttpError(415, 'Send JSON or a form');
  const text = await req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(listener);
