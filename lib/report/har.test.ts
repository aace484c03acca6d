import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { sampleExchange, sampleReport, sampleResult } from '../../test/sample-report.ts';
import { conformingRun, failingRun, hostileRun } from '../../test/sample-runs.ts';
import { renderHar } from './har.ts';
import { parseReportText } from './parse.ts';

// HTTP Archive 1.2, as http://www.softwareishard.com/blog/har-12-spec has it: what is required, and of which type.
const text = { type: 'string' };
const size = { type: 'integer', minimum: -1 };
const named = {
  type: 'array',
  items: { type: 'object', required: ['name', 'value'], properties: { name: text, value: text } },
};
const moment = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' };
const object = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional, comment: text },
  additionalProperties: false,
});
const message = { httpVersion: text, cookies: named, headers: named, headersSize: size, bodySize: size };
const schema = object({
  log: object({
    version: { const: '1.2' },
    creator: object({ name: text, version: text }),
    pages: {
      type: 'array',
      items: object({ startedDateTime: moment, id: text, title: text, pageTimings: { type: 'object' } }),
    },
    entries: {
      type: 'array',
      items: object({
        pageref: text,
        startedDateTime: moment,
        time: { type: 'number', minimum: 0 },
        request: object(
          { method: text, url: text, queryString: named, ...message },
          { postData: object({ mimeType: text, text, params: named }) },
        ),
        response: object({
          status: { type: 'integer' },
          statusText: text,
          content: object({ size, mimeType: text, text }),
          redirectURL: text,
          ...message,
        }),
        cache: { type: 'object' },
        timings: object({ send: { type: 'number' }, wait: { type: 'number' }, receive: { type: 'number' } }),
      }),
    },
  }),
});
const validate = new Ajv2020().compile(schema);

test.each([conformingRun, failingRun, hostileRun])('is an archive: %o', (run) => {
  validate(JSON.parse(JSON.stringify(renderHar(run(), 'full'))));
  expect(validate.errors).toBeNull();
});

test('contains the exchanges of its option', () => {
  const passed = sampleResult({ id: '4.2/a', exchanges: [sampleExchange()] });
  const failed = sampleResult({
    id: '4.2/b',
    verdict: 'failed',
    exchanges: [sampleExchange(), sampleExchange()],
  });
  const report = sampleReport({ requirements: [passed, failed] });
  expect(renderHar(report, 'full').log.entries).toHaveLength(3);
  expect(renderHar(report, 'failures').log.entries).toHaveLength(2);
});

test('an exchange keeps what was recorded, and a missing answer is named', () => {
  const { response: _, ...unanswered } = sampleExchange({ failure: 'the connection was reset' });
  const url = 'https://tenant.example/x?a=b%20c&d&a=%zz';
  const exchanges = [{ ...unanswered, request: { ...unanswered.request, url } }];
  const report = sampleReport({ requirements: [sampleResult({ id: '4.2/a', verdict: 'error', exchanges })] });
  const [entry] = renderHar(report).log.entries;
  expect(entry?.request.queryString).toEqual([
    { name: 'a', value: 'b c' },
    { name: 'd', value: '' },
    { name: 'a', value: '%zz' },
  ]);
  expect(entry?.startedDateTime).toBe('2026-01-17T09:30:04.200Z');
  expect(entry?.response).toMatchObject({ status: 0, bodySize: -1, comment: 'the connection was reset' });
});

test('full contains everything that a run sent, also of what passed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'har-'));
  const args = ['--har', 'full', '--only', '4.5/reads', '--seed', '1', '--report-dir', directory];
  expect((await runHere(args)).code).toBe(0);
  const archive: ReturnType<typeof renderHar> = JSON.parse(
    readFileSync(join(directory, 'exchanges.har'), 'utf8'),
  );
  const { run, requirements } = parseReportText(readFileSync(join(directory, 'report.json'), 'utf8'));
  expect(requirements.map(({ verdict }) => verdict)).not.toContain('failed');
  expect(run.requests).toBeGreaterThan(0);
  expect(archive.log.entries).toHaveLength(run.requests);
  expect(archive.log.pages.map(({ title }) => title).join()).toContain('4.5/reads passed');
});
