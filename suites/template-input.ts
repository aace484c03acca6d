import { ofOtherType } from '../lib/arbitraries/invalid.ts';
import { status } from '../lib/runner/answer.ts';
import { expectRefused, expectStatus } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { type Field, good, raw, twin } from './phone-messages.ts';

/** Section 4.1: bodies that PUT /guardian/factors/phone/templates refuses before it looks at templates. */

const missing = (id: string, field: Field): Check =>
  requirement(id, { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { [field]: _left, ...rest } = good;
    expectStatus(await ctx.probe({ json: rest }), 400, `${field} is missing`);
    await twin(ctx);
  });

const wrongType = (id: string, field: Field): Check =>
  requirement(id, { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    await ctx.property(
      ofOtherType('string'),
      async (value) =>
        expectStatus(await ctx.probe({ json: { ...good, [field]: value } }), 400, `${field} is no string`),
      {
        runs: Math.ceil(ctx.run.runs / 4),
        examples: [null, 0, 1, true, false, [], ['text'], {}, { text: 'text' }],
      },
    );
    await twin(ctx);
  });

const refusedBodies = (id: string, because: string, bodies: readonly (string | Uint8Array)[]): Check =>
  requirement(id, { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    for (const body of bodies) expectStatus(await ctx.probe(raw(body)), 400, because);
    await twin(ctx);
  });

export const templateInput: readonly Check[] = [
  missing('4.1/enrollment-required', 'enrollment_message'),

  missing('4.1/verification-required', 'verification_message'),

  requirement('4.1/form-required', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { enrollment_message, verification_message } = good;
    for (const form of [{ enrollment_message }, { verification_message }, '']) {
      expectStatus(await ctx.probe({ form }), 400, 'one of the messages is missing');
    }
    await twin(ctx, { form: good });
  }),

  wrongType('4.1/enrollment-type', 'enrollment_message'),

  wrongType('4.1/verification-type', 'verification_message'),

  refusedBodies('4.1/body-required', 'its body is empty', ['']),

  refusedBodies('4.1/body-malformed', 'its body is no JSON', [
    '{',
    'enrollment_message',
    '{"enrollment_message":"a","verification_message":"b"',
    "{'enrollment_message':'a','verification_message':'b'}",
    '{"enrollment_message":"a","verification_message":"b",}',
    '{"enrollment_message":"a","verification_message":"b"} trailing',
  ]),

  refusedBodies('4.1/body-object', 'its body is no JSON object', [
    '[]',
    `[${JSON.stringify(good)}]`,
    '"text"',
    '1',
    'true',
    'null',
    '{}',
  ]),

  requirement('4.1/media-type', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/octet-stream',
      'multipart/form-data; boundary=x',
    ]) {
      expectRefused(await ctx.probe(raw(JSON.stringify(good), type)), `${type} is neither JSON nor a form`);
    }
    await twin(ctx);
  }),

  observation('4.1/media-type-status', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) =>
    status(await ctx.probe(raw(JSON.stringify(good), 'text/plain'))),
  ),
];
