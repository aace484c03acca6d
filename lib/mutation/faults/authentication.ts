import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, everywhere, on } from '../builders/on.ts';
import { joseHeader, query } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import type { CallPredicate } from '../rule-overrides.ts';

const authorization = ({ headers }: Call): string => headers.authorization ?? '';
const bearer = (call: Call): string => /^bearer +(.*)$/i.exec(authorization(call))?.[1] ?? '';
/** Such requests need no valid token. */
const served = (...conditions: readonly CallPredicate[]): RulesOverride =>
  on(...conditions).token.isNotRequired();
/** The token may be somewhere else too. */
const readFrom = (read: (call: Call) => string | undefined): RulesOverride =>
  everywhere.token.isReadFrom(read);
const partsOf = (call: Call): number => bearer(call).split('.').length;
const credentials = (scheme: RegExp) => (call: Call) => scheme.exec(authorization(call))?.[1];
const cookie =
  (name: string) =>
  ({ headers }: Call): string | undefined =>
    new RegExp(`(?:^|; *)${name}=([^;]*)`, 'i').exec(headers.cookie ?? '')?.[1];

const hasNoHeader: CallPredicate = ({ headers }) => headers.authorization === undefined;
const hasOtherScheme: CallPredicate = (call) => !hasNoHeader(call) && !/^bearer /i.test(authorization(call));
const hasBasic: CallPredicate = (call) => /^basic /i.test(authorization(call));
const isGarbage: CallPredicate = (call) => bearer(call) !== '' && partsOf(call) !== 3;
const isNull: CallPredicate = (call) => /^(null|undefined)$/.test(bearer(call));
const isEncrypted: CallPredicate = (call) => partsOf(call) > 3;
const isUndecodable: CallPredicate = (call) =>
  partsOf(call) === 3 && joseHeader(bearer(call)).alg === undefined;
const isEmptyParts: CallPredicate = (call) => bearer(call) === '..';
const hasEmptyHeader: CallPredicate = (call) => bearer(call).startsWith('e30.');
/** Requests without a valid token are refused with another status. */
const refused = (status: number, ...conditions: readonly CallPredicate[]): RulesOverride =>
  on(...conditions).refusalStatus(status, /^(missing|malformed)_token$/);

/** Section 5, items 1 and 2: how a token is carried, and what is not a token. */
export const authenticationFaults: readonly Fault[] = [
  ...faultsOf('5.1/valid-token', [
    fault('token-refused-on-delete', 'Deletion does not find the token.').by(
      deletion.after('token.sent', () => undefined),
    ),
  ]),
  ...faultsOf('5.1/no-header', [
    fault('anonymous', 'A request without a token is served.').by(served(hasNoHeader)),
  ]),
  ...faultsOf('5.1/no-header-401', [
    fault('no-header-403', 'Without a token the answer is 403.').by(refused(403, hasNoHeader)),
  ]),
  ...faultsOf('5.1/other-scheme', [
    fault('any-scheme', 'The scheme is ignored.').by(readFrom(credentials(/^\S+ (\S+)/))),
    fault('basic-unchecked', 'Basic credentials are not verified.').by(served(hasBasic)),
  ]),
  ...faultsOf('5.1/other-scheme-name', [
    fault('bare-token', 'The scheme may be missing.').by(readFrom(credentials(/^(\S+)$/))),
    fault('jwt-scheme', 'The scheme JWT is accepted.').by(readFrom(credentials(/^JWT (\S+)$/))),
  ]),
  ...faultsOf('5.1/other-scheme-401', [
    fault('other-scheme-403', 'Another scheme is 403.').by(refused(403, hasOtherScheme)),
  ]),
  ...faultsOf('5.1/token-in-query', [
    fault('token-in-query', 'The token may be in the query (RFC 6750, section 2.3).').by(
      readFrom((call) => query(call, 'access_token')),
    ),
  ]),
  ...faultsOf('5.1/token-in-cookie', [
    fault('token-in-cookie', 'A cookie may carry the token.').by(readFrom(cookie('access_token'))),
  ]),
  ...faultsOf('5.2/garbage', [
    fault('null-token', 'The words null and undefined are accepted.').by(served(isNull)),
    fault('encrypted-token-unchecked', 'More than three parts are accepted.').by(served(isEncrypted)),
  ]),
  ...faultsOf('5.2/garbage-401', [
    fault('garbage-403', 'Whatever is not a token is 403.').by(refused(403, isGarbage)),
  ]),
  ...faultsOf('5.2/three-parts', [
    fault('empty-parts', 'Three empty parts are accepted.').by(served(isEmptyParts)),
    fault('header-without-algorithm', 'An empty JOSE header is accepted.').by(served(hasEmptyHeader)),
    fault('three-parts-500', 'An undecodable token is 500.').by(refused(500, isUndecodable)),
  ]),
  ...faultsOf('5.2/three-parts-401', [
    fault('three-parts-403', 'An undecodable token is 403.').by(refused(403, isUndecodable)),
  ]),
  ...faultsOf('5.2/far-future', [
    fault('exp-year-2038', 'exp after 2038 is refused.').by(
      everywhere.after('token.isExpired', (usual, exp) => usual || Number(exp) > 2 ** 31 - 1),
    ),
  ]),
];
