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
  /** The defect at the requests of a builder. */
  readonly on: (builder: Builder) => RulesOverride;
  /** What an operation must be besides what the requirement is about. */
  readonly fits?: (operation: Operation) => boolean;
}

/** A refusal with one of these codes becomes a success. */
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

const ofSuccess =
  (transform: (response: FakeResponse) => FakeResponse) =>
  (builder: Builder): RulesOverride =>
    builder.response((response) => (response.status < 400 ? transform(response) : response));

/** True where no answer may be a text. */
const hasNoText = ({ success }: Operation): boolean =>
  success.some(({ content }) => content[0]?.kind === 'json' && content[0].validate('text').length > 0);

export const families: readonly Family[] = [
  {
    name: 'any-token-not-needed',
    requirement: '5.1/no-header',
    on: serves('missing_token'),
  },
  {
    name: 'any-expired-token-served',
    requirement: '7/expired-hour',
    on: serves('expired_token'),
  },
  {
    name: 'any-signature-not-verified',
    requirement: '7/stranger-key',
    on: serves('invalid_signature'),
  },
  {
    name: 'any-scopes-not-needed',
    requirement: '5.5/each-scope-alone',
    on: serves('insufficient_scope'),
  },
  {
    name: 'any-valid-token-refused',
    requirement: '5.1/valid-token',
    on: ofSuccess((response) => ({ ...response, status: 401 })),
  },
  {
    name: 'any-server-error',
    requirement: '7/no-server-error',
    on: ofSuccess((response) => ({ ...response, status: 500 })),
  },
  {
    name: 'any-answer-is-text',
    requirement: '9/answer-schema',
    on: ofSuccess((response) => ({ ...response, body: 'text' })),
    fits: hasNoText,
  },
  {
    name: 'any-other-media-type',
    requirement: '9/answer-media-type',
    on: (builder) => builder.mediaType('application/x-conformance'),
    fits: ({ success }) =>
      success.every(({ content }) => content.every((each) => !each.mediaType.includes('*'))),
  },
  {
    name: 'any-parameters-not-checked',
    requirement: '9/invalid-parameter',
    on: serves('invalid_query_string', 'invalid_uri'),
  },
  {
    name: 'any-body-not-checked',
    requirement: '9/invalid-body',
    on: serves('invalid_body'),
  },
  {
    name: 'any-valid-body-refused',
    requirement: '9/valid-request',
    on: ofSuccess((response) => ({ ...response, status: 415 })),
  },
  {
    name: 'any-large-body-served',
    requirement: '8/payload-refused',
    on: serves('payload_too_large'),
  },
  {
    name: 'any-correlation-id-lost',
    requirement: '5/correlation-recorded',
    on: (builder) => builder.replace('correlation.sent', () => undefined),
  },
];

/** The families as faults of every operation that they fit. */
export const anyContractFaults: readonly Fault[] = families.map((family) => ({
  ...family,
  rules: (rules) => family.on(everywhere)(rules),
}));

/** The operations of a contract that a fault breaks; undefined where its requirement concerns no operation. */
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
