/** The Tenant Administration Service in Koa 3: @koa/router, @koa/bodyparser, koa-jwt, koa-helmet, koa-compress, ajv. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import { Ajv } from 'ajv';
import Koa, { type Context, type Next } from 'koa';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import jwt from 'koa-jwt';
import { HttpError, type PhoneTemplates, type SCOPES, STATUSES, type TenantService } from './service.ts';
import { main } from './start.ts';

const string = { type: 'string' } as const;

const ajv = new Ajv();
const isPhoneTemplates = ajv.compile<PhoneTemplates>({
  type: 'object',
  properties: { enrollment_message: string, verification_message: string },
  required: ['enrollment_message', 'verification_message'],
  additionalProperties: false,
});
const coercing = new Ajv({ coerceTypes: true });
interface ExperimentsQuery {
  from?: string;
  take?: number;
  status?: string;
  authentication_flow?: string;
  feature_flag_id?: string;
}
const experimentsQuery = {
  type: 'object',
  properties: {
    from: string,
    take: { type: 'integer', minimum: 1, maximum: 50 },
    status: { type: 'string', enum: STATUSES },
    authentication_flow: string,
    feature_flag_id: string,
  },
};
const isExperimentsQuery = coercing.compile<ExperimentsQuery>(experimentsQuery);
const versionsQuery = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 0 },
    per_page: { type: 'integer', minimum: 1 },
  },
};
const isVersionsQuery = coercing.compile<{ page?: number; per_page?: number }>(versionsQuery);

export function listener(service: TenantService): RequestListener {
  const keys = new Map<string | undefined, KeyObject>(
    service.jwks.keys.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })]),
  );

  const permit = (operation: keyof typeof SCOPES) => async (context: Context, next: Next) => {
    const correlationId = context.get('x-correlation-id');
    service.log(context.method, correlationId === '' ? undefined : correlationId);
    const options: jwt.Options & { clockTimestamp: number } = {
      secret: async ({ kid }: { kid?: string }) => {
        const key = keys.get(kid);
        if (key === undefined) throw new HttpError(401, 'Unknown key');
        return key.export({ type: 'spki', format: 'pem' }).toString();
      },
      algorithms: ['RS256', 'ES256'],
      // koa-jwt hands what it does not know to jsonwebtoken.
      clockTimestamp: Math.floor(service.now().getTime() / 1000),
    };
    await jwt(options)(context, async () => {
      service.authorize(Object(context.state.user), operation);
      await next();
    });
  };

  const api = new Router({ prefix: '/api/v2' });
  api.put(
    '/guardian/factors/phone/templates',
    permit('updateTemplates'),
    bodyParser({ enableTypes: ['json', 'form'], jsonLimit: '1mb', formLimit: '1mb' }),
    (context) => {
      const { body } = context.request;
      if (!isPhoneTemplates(body)) throw new HttpError(400, ajv.errorsText(isPhoneTemplates.errors));
      context.body = service.updateTemplates(body);
    },
  );
  api.get('/experimentation/experiments', permit('listExperiments'), (context) => {
    const query: unknown = { ...context.query };
    if (!isExperimentsQuery(query)) throw new HttpError(400, ajv.errorsText(isExperimentsQuery.errors));
    context.body = service.listExperiments(query);
  });
  api.delete('/rate-limit-policies/:id', permit('deletePolicy'), (context) => {
    const id = context.params.id ?? '';
    if ([...id].length > 26) throw new HttpError(400, 'id has more than 26 characters');
    service.deletePolicy(id);
    context.status = 204;
  });
  api.get('/actions/actions/:actionId/versions', permit('listVersions'), (context) => {
    const query: unknown = { ...context.query };
    if (!isVersionsQuery(query)) throw new HttpError(400, ajv.errorsText(isVersionsQuery.errors));
    context.body = service.listVersions(context.params.actionId ?? '', query.page, query.per_page);
  });
  // Values outside the enums match no route, so that Koa answers 404.
  api.get('/self-service-profiles/:id/custom-text/en/get-started', permit('readCustomText'), (context) => {
    context.body = service.readCustomText(context.params.id ?? '', 'en', 'get-started');
  });

  const tokens = new Router();
  tokens.post('/oauth/token', bodyParser(), async (context) => {
    context.body = await service.issueToken(Object(context.request.body));
  });

  const app = new Koa();
  app.silent = true;
  app.use(async (context, next) => {
    try {
      await next();
    } catch (error) {
      const status =
        typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
      context.status = status;
      context.body = {
        message: status < 500 && error instanceof Error ? error.message : 'Internal server error',
      };
    }
  });
  app.use(helmet());
  app.use(compress());
  app.use(api.routes()).use(api.allowedMethods());
  app.use(tokens.routes());
  return app.callback();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(listener);
