import { isObject } from '../contract/json.ts';
import { loadLedger } from '../contract/ledger.ts';
import type { Contract, Operation } from '../contract/model.ts';
import { select } from '../contract/select.ts';
import type { FakeResponse } from '../fake/call.ts';
import type { RulesOverride } from '../fake/rules.ts';
import type { Builder } from './builders/builder.ts';
import { everywhere } from './builders/on.ts';
import type { Fault } from './fault.ts';

/** A kind of defect that an operation of any contract may have. */
export interface Family extends Omit<Fault, 'rules'> {
  /** The defect, for the requests of a builder. */
  readonly on: (builder: Builder) => RulesOverride;
  /** True for operations that can have the defect. Default: all that the requirement applies to. */
  readonly fits?: (operation: Operation) => boolean;
}

/** Turns refusals with one of these codes into successes. */
const serves =
  (...codes: readonly string[]) =>
  (builder: Builder): RulesOverride =>
    builder.response((response, { operation }) => {
      const code = isObject(response.body) ? response.body.errorCode : undefined;
      const [success] = operation?.success ?? [];
      return codes.some((each) => each === code)
        ? { status: Number(success?.status) || 200, headers: [], body: {} }
        : response;
    });

/** Overrides these members of successful responses. */
const succeedsWith =
  (members: Partial<FakeResponse>) =>
  (builder: Builder): RulesOverride =>
    builder.response((response) => (response.status < 400 ? { ...response, ...members } : response));

/** True if a successful JSON response of the operation may not be a string. */
const hasNoText = ({ success }: Operation): boolean =>
  success.some(({ content }) => content[0]?.kind === 'json' && content[0].validate('text').length > 0);

function family(
  name: string,
  requirement: string,
  on: Family['on'],
  fits: (operation: Operation) => boolean = () => true,
): Family {
  return { name, requirement, on, fits };
}

export const families: readonly Family[] = [
  family('any-token-not-needed', '5.1/no-header', serves('missing_token')),
  family('any-expired-token-served', '7/expired-hour', serves('expired_token')),
  family('any-signature-not-verified', '7/stranger-key', serves('invalid_signature')),
  family('any-scopes-not-needed', '5.5/each-scope-alone', serves('insufficient_scope')),
  family('any-valid-token-refused', '5.1/valid-token', succeedsWith({ status: 401 })),
  family('any-server-error', '7/no-server-error', succeedsWith({ status: 500 })),
  family('any-answer-is-text', '9/answer-schema', succeedsWith({ body: 'text' }), hasNoText),
  family(
    'any-other-media-type',
    '9/answer-media-type',
    (builder) => builder.mediaType('application/x-conformance'),
    ({ success }) => success.every(({ content }) => content.every((each) => !each.mediaType.includes('*'))),
  ),
  family('any-parameters-not-checked', '9/invalid-parameter', serves('invalid_query_string', 'invalid_uri')),
  family('any-body-not-checked', '9/invalid-body', serves('invalid_body')),
  family('any-valid-body-refused', '9/valid-request', succeedsWith({ status: 415 })),
  family('any-large-body-served', '8/payload-refused', serves('payload_too_large')),
  family('any-correlation-id-lost', '5/correlation-recorded', (builder) =>
    builder.replace('correlation.sent', () => undefined),
  ),
];

/** The families as faults that apply to every operation. */
export const anyContractFaults: readonly Fault[] = families.map((family) => ({
  ...family,
  rules: (rules) => family.on(everywhere)(rules),
}));

/** The operations of a contract that a fault breaks; undefined if its requirement concerns no operation. */
export function operationsWithFault(
  { requirement, ...fault }: Pick<Fault, 'requirement'> & Pick<Family, 'fits'>,
  contract: Contract,
): readonly Operation[] | undefined {
  const { requirements, specific } = loadLedger();
  const row = requirements.find(({ id }) => id === requirement);
  if (row === undefined || (typeof row.operations !== 'string' && row.operations.length === 0))
    return undefined;
  return select(contract, row.operations, specific).filter((each) => fault.fits?.(each) ?? true);
}
