import type { Call } from '../../fake/call.ts';
import type { Check, RulesOverride } from '../../fake/rules.ts';
import { Builder, type CallPredicate, compose } from './builder.ts';

/** Overrides for requests that meet the condition, or for those to the operation with this id. */
export function on(selector: CallPredicate | string): Builder {
  return new Builder(typeof selector === 'string' ? ({ operation }) => operation?.id === selector : selector);
}

/** Overrides for every request. */
export const everywhere = new Builder(() => true);
export const experiments = on('listExperiments');
export const versions = on('listActionVersions');
export const update = on('put_factor_phone_templates');
export const deletion = on('deleteRateLimitPolicy');
export const customText = on('getSelfServiceProfileCustomText');

/** The methods that override one rule, for every request. */
export const around = everywhere.around.bind(everywhere);
export const replace = everywhere.replace.bind(everywhere);
export const after = everywhere.after.bind(everywhere);
export const before = everywhere.before.bind(everywhere);
export const observe = everywhere.observe.bind(everywhere);

/** Runs only these checks on a request, in this order. */
export function checkedBy(...checks: readonly Check[]): RulesOverride {
  return (rules) => ({ ...rules, checks });
}

/** An override whose state is separate for each fake. */
export function stateful(make: () => RulesOverride): RulesOverride {
  return (rules) => make()(rules);
}

/** An override that remembers what it has seen, separately for each fake. */
export function remembering(make: (seen: Set<unknown>) => RulesOverride): RulesOverride {
  return stateful(() => make(new Set()));
}

/**
 * An override that knows which of the builder's requests were received while another one was under way.
 * @param of what the two requests have in common, such as their target. Default: any two
 */
export function overlapping(
  builder: Builder,
  override: (isLate: CallPredicate) => RulesOverride,
  of: (call: Call) => string = () => '',
): RulesOverride {
  return stateful(() => {
    const underWay = new Set<Call>();
    const late = new WeakSet<Call>();
    return compose(
      builder.observe('payload.limit', (_limit, call) => {
        if ([...underWay].some((each) => of(each) === of(call))) late.add(call);
        underWay.add(call);
      }),
      // Verifying every token again takes long enough for requests to overlap.
      builder.replace('token.remembers', () => false),
      override((call) => late.has(call)),
      observe('responses.wire', (_wire, _response, call) => underWay.delete(call)),
    );
  });
}
