/** The Tenant Administration Service in Fastify 5: its own schema validation with TypeBox, @fastify/jwt, formbody, helmet, compress. */
import { createPublicKey } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import compress from '@fastify/compress';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import jwt, { type TokenOrHeader } from '@fastify/jwt';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import Fastify, { type FastifyRequest } from 'fastify';
import { HttpError, type SCOPES, STATUSES, type TenantService } from './service.ts';
import { main } from './start.ts';

const PhoneTemplates = Type.Object(
  { enrollment_message: Type.String(), verification_message: Type.String() },
  { additionalProperties: false },
);
const ExperimentsQuery = Type.Object({
  from: Type.Optional(Type.String()),
  take: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  status: Type.Optional(Type.Union(STATUSES.map((each) => Type.Literal(each)))),
  authentication_flow: Type.Optional(Type.String()),
  feature_flag_id: Type.Optional(Type.String()),
});
const VersionsQuery = Type.Object({
  page: Type.Integer({ minimum: 0, default: 0 }),
  per_page: Type.Integer({ minimum: 1, default: 20 }),
});
const PolicyParams = Type.Object({ id: Type.String({ maxLength: 26 }) });
const VersionsParams = Type.Object({ actionId: Type.String() });
const CustomTextParams = Type.Object({
  id: Type.String(),
  language: Type.Literal('en'),
  page: Type.Literal('get-started'),
});

const bodyAjv = new Ajv({ allErrors: false });
const parameterAjv = new Ajv({ coerceTypes: true, useDefaults: true });

export async function listener(service: TenantService): Promise<RequestListener> {
  const app = Fastify({ routerOptions: { maxParamLength: 1_000 } }).withTypeProvider<TypeBoxTypeProvider>();
  // Fastify coerces types and removes additional properties by default, of bodies too: §2.1 wants both refused.
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? bodyAjv : parameterAjv).compile(Object(schema)),
  );
  await app.register(helmet);
  await app.register(compress);
  await app.register(formbody);

  const keys = new Map(
    service.jwks.keys.map((jwk) => [
      jwk.kid,
      createPublicKey({ key: { ...jwk }, format: 'jwk' })
        .export({ type: 'spki', format: 'pem' })
        .toString(),
    ]),
  );
  await app.register(jwt, {
    secret: async (_request: FastifyRequest, token: TokenOrHeader) => {
      const key = keys.get(('header' in token ? token.header : token).kid);
      if (key === undefined) throw new HttpError(401, 'Unknown key');
      return key;
    },
    decode: { complete: true },
    verify: { algorithms: ['RS256', 'ES256', 'EdDSA'], clockTolerance: 5_000 },
  });

  const permit = (operation: keyof typeof SCOPES) => async (request: FastifyRequest) => {
    const correlationId = request.headers['x-correlation-id'];
    service.log(request.method, typeof correlationId === 'string' ? correlationId : undefined);
    const claims: Record<string, unknown> = await request
      .jwtVerify<Record<string, unknown>>({ clockTimestamp: service.now().getTime() })
      .catch(() => {
        throw new HttpError(401, 'Invalid or expired token');
      });
    service.authorize(claims, operation);
  };

  app.setErrorHandler((error, _request, reply) => {
    const status =
      typeof error === 'object' && error !== null && 'statusCode' in error ? Number(error.statusCode) : 500;
    const refused = error instanceof HttpError ? error.status : status;
    const message = refused < 500 && error instanceof Error ? error.message : 'Internal server error';
    return reply.status(refused).send({ statusCode: refused, message });
  });

  await app.register(
    async (api) => {
      const typed = api.withTypeProvider<TypeBoxTypeProvider>();
      typed.put(
        '/guardian/factors/phone/templates',
        { onRequest: permit('updateTemplates'), schema: { body: PhoneTemplates } },
        async ({ body }) => service.updateTemplates(body),
      );
      typed.get(
        '/experimentation/experiments',
        { onRequest: permit('listExperiments'), schema: { querystring: ExperimentsQuery } },
        async ({ query }) => service.listExperiments(query),
      );
      typed.delete(
        '/rate-limit-policies/:id',
        { onRequest: permit('deletePolicy'), schema: { params: PolicyParams } },
        async ({ params }, reply) => {
          service.deletePolicy(params.id);
          return reply.status(204).send();
        },
      );
      typed.get(
        '/actions/actions/:actionId/versions',
        { onRequest: permit('listVersions'), schema: { params: VersionsParams, querystring: VersionsQuery } },
        async ({ params, query }) => service.listVersions(params.actionId, query.page, query.per_page),
      );
      typed.get(
        '/self-service-profiles/:id/custom-text/:language/:page',
        { onRequest: permit('readCustomText'), schema: { params: CustomTextParams } },
        async ({ params }) => service.readCustomText(params.id, params.language, params.page),
      );
    },
    { prefix: '/api/v2' },
  );
  for (const path of ['/oauth/token', '/oauth/token/'])
    app.post(path, async ({ body }) => service.issueToken(Object(body)));

  await app.ready();
  return (request, response) => app.server.emit('request', request, response);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(listener);
