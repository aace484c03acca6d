import type { RulesOverride } from '../../fake/rules.ts';
import { Builder, type CallPredicate } from './builder.ts';
import { CheckpointBuilder, OffsetBuilder } from './listings.ts';

const isOperation =
  (id: string): CallPredicate =>
  ({ operation }) =>
    operation?.id === id;

/** Overrides for requests that meet all conditions; a string is the id of an operation. */
export function on(...selectors: readonly (CallPredicate | string)[]): Builder {
  const conditions = selectors.map((each) => (typeof each === 'string' ? isOperation(each) : each));
  return new Builder((call) => conditions.every((each) => each(call)));
}

/** Overrides for every request. */
export const everywhere = new Builder(() => true);
export const experiments = new CheckpointBuilder(isOperation('listExperiments'));
export const versions = new OffsetBuilder(isOperation('listActionVersions'));
export const update = on('put_factor_phone_templates');
export const deletion = on('deleteRateLimitPolicy');
export const customText = on('getSelfServiceProfileCustomText');

/** The methods that override one rule, for every request. */
export const around = everywhere.around.bind(everywhere);
export const replace = everywhere.replace.bind(everywhere);
export const after = everywhere.after.bind(everywhere);
export const before = everywhere.before.bind(everywhere);

/** An override whose state is separate for each fake. */
export function stateful(make: () => RulesOverride): RulesOverride {
  return (rules) => make()(rules);
}
