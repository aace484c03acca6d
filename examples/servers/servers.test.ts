import { exportJWK, generateKeyPair } from 'jose';
import { runConformance } from 'tenant-admin-conformance';
import { expect, test } from 'vitest';
import { addedOperations } from '../../test/section-4.ts';
import { app as express } from './express.ts';
import { listener as fastify } from './fastify.ts';
import { listener as hono } from './hono.ts';
import { listener as koa } from './koa.ts';
import { start } from './start.ts';

/** Warnings that a framework's defaults cause, each with the reason why it stays. */
const explained: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  express: {},
  fastify: {},
  hono: {},
  koa: {
    '4.5/language-case': '@koa/router ignores the case of a path unless told otherwise',
    '4.5/page-case': '@koa/router ignores the case of a path unless told otherwise',
    '8/payload-delete': 'nothing reads the body of a deletion, so nothing limits it',
  },
};

test.each(Object.entries({ express, fastify, hono, koa }))(
  'the service in %s conforms, with everything judged',
  // Whole runs, side by side.
  { timeout: 1_200_000 },
  async (name, listenerOf) => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const about = { kid: 'suite', alg: 'RS256' };
    const client = { id: 'tests', secret: 'the-secret-of-the-tests' };
    const server = await start(listenerOf, {
      trusted: { keys: [{ ...(await exportJWK(publicKey)), ...about }] },
      client,
    });
    try {
      const report = await runConformance({
        baseUrl: server.url,
        control: server.controlUrl,
        signingKey: { ...(await exportJWK(privateKey)), ...about },
        clientId: client.id,
        clientSecret: client.secret,
        seed: 1,
        runs: 3,
        skip: addedOperations,
      });
      const isComplete = addedOperations.length === 0;
      const other = report.requirements.filter(
        ({ verdict, reason }) => verdict !== 'passed' && (isComplete || reason !== 'deselected'),
      );
      expect(other.filter(({ id }) => explained[name]?.[id] === undefined)).toEqual([]);
      expect(report.verdict).toBe(isComplete ? 'conforms' : 'incomplete');
    } finally {
      await server.close();
    }
  },
);
