/** The Tenant Administration Service in Express 5: body parsers of Express, helmet, compression, jose, zod. */
import { fileURLToPath } from 'node:url';
import compression from 'compression';
import express, { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';
import { HttpError, type SCOPES, STATUSES, type TenantService } from './service.ts';
import { main } from './start.ts';

const PhoneTemplates = z.strictObject({ enrollment_message: z.string(), verification_message: z.string() });

const integer = z
  .string()
  .regex(/^-?\d+$/)
  .transform(Number);

const ExperimentsQuery = z.object({
  from: z.string().optional(),
  take: integer.pipe(z.number().min(1).max(50)).optional(),
  status: z.enum(STATUSES).optional(),
  authentication_flow: z.string().optional(),
  feature_flag_id: z.string().optional(),
});

const VersionsQuery = z.object({
  page: integer.pipe(z.number().min(0)).optional(),
  per_page: integer.pipe(z.number().min(1)).optional(),
});

const PolicyParams = z.object({ id: z.string().max(26) });

const CustomTextParams = z.object({
  id: z.string(),
  language: z.enum(['en']),
  page: z.enum(['get-started']),
});

export function app(service: TenantService): express.Express {
  const keys = createLocalJWKSet(service.jwks);

  const permit =
    (operation: keyof typeof SCOPES) =>
    async (request: Request, _response: Response, next: NextFunction): Promise<void> => {
      service.log(request.method, request.get('x-correlation-id'));
      const [, token] = /^Bearer (\S+)$/i.exec(request.get('authorization') ?? '') ?? [];
      if (token === undefined) throw new HttpError(401, 'A bearer token is required');
      const claims = await jwtVerify(token, keys, { currentDate: service.now(), clockTolerance: 5 }).catch(
        () => {
          throw new HttpError(401, 'Invalid or expired token');
        },
      );
      service.authorize(claims.payload, operation);
      next();
    };

  const api = express.Router();

  api.put(
    '/guardian/factors/phone/templates',
    permit('updateTemplates'),
    express.json({ limit: '1mb', strict: false }),
    express.urlencoded({ limit: '1mb', extended: false }),
    (request, response) => {
      response.json(service.updateTemplates(PhoneTemplates.parse(request.body)));
    },
  );
  api.get('/experimentation/experiments', permit('listExperiments'), (request, response) => {
    response.json(service.listExperiments(ExperimentsQuery.parse(request.query)));
  });
  api.delete(
    '/rate-limit-policies/:id',
    permit('deletePolicy'),
    express.raw({ type: () => true, limit: '1mb' }),
    (request, response) => {
      service.deletePolicy(PolicyParams.parse(request.params).id);
      response.sendStatus(204);
    },
  );
  api.get('/actions/actions/:actionId/versions', permit('listVersions'), (request, response) => {
    const { page, per_page } = VersionsQuery.parse(request.query);
    response.json(service.listVersions(String(request.params.actionId), page, per_page));
  });
  api.get(
    '/self-service-profiles/:id/custom-text/:language/:page',
    permit('readCustomText'),
    (request, response) => {
      const { id, language, page } = CustomTextParams.parse(request.params);
      response.json(service.readCustomText(id, language, page));
    },
  );

  const server = express();
  server.use(helmet(), compression());
  server.use('/api/v2', api);
  server.post(
    '/oauth/token',
    express.urlencoded({ extended: false }),
    express.json(),
    async (request, response) => {
      response.json(await service.issueToken(Object(request.body)));
    },
  );
  server.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const status = statusOf(error);
    const message = status < 500 && error instanceof Error ? error.message : 'Internal server error';
    response.status(status).json({ statusCode: status, message });
  });
  return server;
}

/** Body parsers and Express itself put the status into their errors. */
function statusOf(error: unknown): number {
  if (error instanceof z.ZodError) return 400;
  if (typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number')
    return error.status;
  return 500;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(app);
