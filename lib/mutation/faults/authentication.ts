import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, everywhere, on } from '../builders/on.ts';
import { joseHeader } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after, type CallPredicate, compose } from '../rule-overrides.ts';

const authorization = ({ headers }: Call): string => headers.authorization ?? '';
const bearer = (call: Call): string => /^bearer +(.*)$/i.exec(authorization(call))?.[1] ?? '';
const partsOf = (call: Call): number => bearer(call).split('.').length;
const hasNoHeader: CallPredicate = (call) => authorization(call) === '';
const hasOtherScheme: CallPredicate = (call) => !hasNoHeader(call) && !/^bearer /i.test(authorization(call));
const isUndecodable: CallPredicate = (call) =>
  partsOf(call) === 3 && joseHeader(bearer(call)).alg === undefined;

/** Such requests need no valid token. */
const served = (condition: CallPredicate): RulesOverride => on(condition).needsNoToken();
/** Requests without a valid token are refused with another status. */
const refused = (status: number, condition: CallPredicate): RulesOverride =>
  on(condition).refusalStatus(status, /^(missing|malformed)_token$/);

/** Paths with a slash at their end lead to the endpoint, but not past what checks tokens. */
const uncheckedSlash = compose(
  after('routing.target', (target) =>
    target.replace(/^(?!.*oauth)([^?]*[^?/])\/(?:\?(.*))?$/, '$1?$2&unchecked'),
  ),
  on(({ target }) => target.endsWith('&unchecked')).needsNoToken(),
);

/** Section 5, items 1 and 2: how a token is carried, and what is not a token. */
export const authenticationFaults: readonly Fault[] = faultsOf({
  '5.1/valid-token': fault('token-refused-on-delete', 'Deletion does not find the token.').by(
    deletion.after('token.sent', () => undefined),
  ),
  '5.1/no-header': fault('anonymous', 'A request without a token is served.').by(served(hasNoHeader)),
  '5.1/no-header-path': fault('slash-unchecked', 'With a slash at its end a path needs no token.').by(
    uncheckedSlash,
  ),
  '5.1/other-scheme': [
    fault('any-scheme', 'The scheme is ignored.').by(
      everywhere.readsTokenFrom((call) => /^\S+ (\S+)/.exec(authorization(call))?.[1]),
    ),
    fault('basic-unchecked', 'Basic credentials are not verified.').by(
      served((call) => /^basic /i.test(authorization(call))),
    ),
  ],
  '5.1/other-scheme-401': fault('other-scheme-403', 'Another scheme is 403.').by(
    refused(403, hasOtherScheme),
  ),
  '5.2/garbage': [
    fault('null-token', 'The words null and undefined are accepted.').by(
      served((call) => /^(null|undefined)$/.test(bearer(call))),
    ),
    fault('encrypted-token-unchecked', 'More than three parts are accepted.').by(
      served((call) => partsOf(call) > 3),
    ),
  ],
  '5.2/garbage-401': fault('garbage-403', 'Whatever is not a token is 403.').by(
    refused(403, (call) => bearer(call) !== '' && partsOf(call) !== 3),
  ),
  '5.2/three-parts': [
    fault('empty-parts', 'Three empty parts are accepted.').by(served((call) => bearer(call) === '..')),
    fault('header-without-algorithm', 'An empty JOSE header is accepted.').by(
      served((call) => bearer(call).startsWith('e30.')),
    ),
    fault('three-parts-500', 'An undecodable token is 500.').by(refused(500, isUndecodable)),
  ],
  '5.2/three-parts-401': fault('three-parts-403', 'An undecodable token is 403.').by(
    refused(403, isUndecodable),
  ),
});
