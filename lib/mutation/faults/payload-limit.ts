import type { Body } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { type Builder, compose } from '../builders/builder.ts';
import { checkedBy, deletion, stateful, update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { type Fault, faultsOf } from '../fault.ts';

const megabyte = 1_000_000;
const mebibyte = 1_048_576;
const unlimited = Number.POSITIVE_INFINITY;

const json = update.when(isJson);
const declared = json.when((call) => !call.chunked);
const chunked = json.when((call) => call.chunked);
const form = update.when(isForm);

/** Limits that are wrong by one byte, for the bodies of a builder. */
const byOneByte = (suffix: string, builder: Builder): readonly Fault[] =>
  faultsOf({
    [`8/payload-accepted${suffix}`]: {
      [`limit${suffix}-one-byte-short`]: builder.payloadLimit(megabyte - 1),
    },
    [`8/payload-refused${suffix}`]: { [`limit${suffix}-one-byte-long`]: builder.payloadLimit(mebibyte + 1) },
  });

/** The whole body is read, and something other than its bytes is compared with the limit. */
const measured = (builder: Builder, size: (body: Body) => number): RulesOverride =>
  compose(
    builder.payloadLimit(unlimited),
    builder.after('payload.received', (body) => ({ ...body, tooLarge: size(body) > mebibyte })),
  );

const characters = ({ bytes }: Body): number => new TextDecoder().decode(bytes).length;
/** Wraps from 4 MiB on, as an integer of 23 bits does. */
const int23 = ({ bytes }: Body): number => (bytes.length << 9) >> 9;

/** Carries out an update over the limit before it is refused. */
const done = (builder: Builder): RulesOverride =>
  compose(
    builder.executesRefused('payload_too_large', checkedBy('token', 'scopes', 'parameters', 'body')),
    measured(builder, ({ bytes }) => bytes.length),
  );

/** Updates get 500 for 300 ms after a body over the limit. */
const failsAfterwards = stateful(() => {
  let until = 0;
  return update.response((usual) => {
    const now = performance.now();
    if (usual.status === 413) until = now + 300;
    return usual.status === 200 && now < until ? { ...usual, status: 500, body: {} } : usual;
  });
});

/** Sections 1 and 8: the payload limit. */
export const payloadFaults: readonly Fault[] = [
  ...byOneByte('', declared),
  ...byOneByte('-chunked', chunked),
  ...byOneByte('-form', form),
  ...faultsOf({
    '8/payload-accepted': { 'limit-of-16-kB': update.payloadLimit(16_384) },
    '8/payload-refused': { 'limit-in-characters': measured(json, characters) },
    '8/payload-far-over': { 'far-over-wraps': measured(json, int23) },
    '8/payload-far-over-form': { 'far-over-form': measured(form, int23) },
    '8/payload-answers-afterwards': { 'over-limit-500-afterwards': failsAfterwards },
    '8/payload-delete': {
      'over-limit-delete-done': deletion.executesRefused(
        'payload_too_large',
        checkedBy('token', 'scopes', 'parameters', 'exists'),
      ),
    },
    '8/payload-refused-changes-nothing': {
      'over-limit-update-done': done(json),
      'over-limit-form-done': done(form),
    },
  }),
];
