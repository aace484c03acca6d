import type { Body } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import { deletion, stateful, update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { type CallPredicate, compose } from '../rule-overrides.ts';

const megabyte = 1_000_000;
const mebibyte = 1_048_576;
const unlimited = Number.POSITIVE_INFINITY;

const isDeclared: CallPredicate = (call) => !call.chunked;
const isChunked: CallPredicate = (call) => call.chunked;
const json = update.when(isJson);
const declared = json.when(isDeclared);
const chunked = json.when(isChunked);
const form = update.when(isForm);
const formDeclared = form.when(isDeclared);

/** The body is read whole, and something other than its bytes is measured against the limit. */
const measured = (builder: Builder, size: (body: Body) => number): RulesOverride =>
  compose(
    builder.payloadLimit(unlimited),
    builder.after('payload.received', (body) => ({ ...body, tooLarge: size(body) > mebibyte })),
  );

const text = ({ bytes }: Body): string => new TextDecoder().decode(bytes);
const characters = (body: Body): number => text(body).length;
const upTo4MiB = ({ bytes }: Body): number => (bytes.length > 4 * mebibyte ? 0 : bytes.length);
const int23 = ({ bytes }: Body): number => (bytes.length << 9) >> 9;

/** After a body over the limit updates are answered with 500 for 300 ms. */
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
  ...faultsOf('8/payload-accepted', [
    fault('limit-one-byte-short', 'A megabyte is refused.').by(declared.payloadLimit(megabyte - 1)),
  ]),
  ...faultsOf('8/payload-accepted-chunked', [
    fault('limit-chunked-one-short', 'A chunked megabyte is refused.').by(chunked.payloadLimit(megabyte - 1)),
  ]),
  ...faultsOf('8/payload-accepted-form', [
    fault('limit-form-one-short', 'A megabyte is refused.').by(formDeclared.payloadLimit(megabyte - 1)),
  ]),
  ...faultsOf('8/payload-refused', [
    fault('limit-one-byte-long', '1 MiB and a byte are accepted.').by(declared.payloadLimit(mebibyte + 1)),
    fault('limit-in-characters', 'The limit counts characters.').by(measured(declared, characters)),
  ]),
  ...faultsOf('8/payload-refused-chunked', [
    fault('limit-chunked-one-long', 'A byte more is accepted.').by(chunked.payloadLimit(mebibyte + 1)),
  ]),
  ...faultsOf('8/payload-refused-form', [
    fault('limit-form-one-long', 'A form may have a byte more.').by(form.payloadLimit(mebibyte + 1)),
  ]),
  ...faultsOf('8/payload-far-over', [
    fault('far-over-wraps', 'The length is a signed integer of 23 bits.').by(measured(json, int23)),
    fault('far-over-chunked', 'Chunked, 4 MiB reset the count.').by(measured(chunked, upTo4MiB)),
  ]),
  ...faultsOf('8/payload-far-over-form', [
    fault('far-over-form', 'A form of more than 4 MiB is accepted.').by(measured(form, upTo4MiB)),
  ]),
  ...faultsOf('8/payload-answers-afterwards', [
    fault('over-limit-500-afterwards', 'After a refusal updates are 500 for a moment.').by(failsAfterwards),
  ]),
  ...faultsOf('8/payload-refused-changes-nothing', [
    fault('over-limit-update-done', 'A body over the limit is executed.').by(
      update.executesRefused('payload_too_large', (rules) => ({
        ...rules,
        checks: ['token', 'scopes', 'parameters', 'body'],
      })),
      measured(update, ({ bytes }) => bytes.length),
    ),
  ]),
  ...faultsOf('8/payload-delete', [
    fault('limit-not-on-delete', 'Deletion reads a body of any size.').by(deletion.payloadLimit(unlimited)),
  ]),
];
