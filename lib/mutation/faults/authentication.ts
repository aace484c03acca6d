import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { type CallPredicate, compose } from '../builders/builder.ts';
import { after, deletion, everywhere, on } from '../builders/on.ts';
import { joseHeader } from '../builders/predicates.ts';
import { type Fault, faultsOf } from '../fault.ts';

const authorization = ({ headers }: Call): string => headers.authorization ?? '';
const bearer = (call: Call): string => /^bearer +(.*)$/i.exec(authorization(call))?.[1] ?? '';
const partsOf = (call: Call): number => bearer(call).split('.').length;
const hasNoHeader: CallPredicate = (call) => authorization(call) === '';
const hasOtherScheme: CallPredicate = (call) => !hasNoHeader(call) && !/^bearer /i.test(authorization(call));
const isUndecodable: CallPredicate = (call) =>
  partsOf(call) === 3 && joseHeader(bearer(call)).alg === undefined;

/** Requests that meet the condition need no valid token. */
const served = (condition: CallPredicate): RulesOverride => on(condition).needsNoToken();
/** Requests without a valid token are refused with another status. */
const refused = (status: number, condition: CallPredicate): RulesOverride =>
  on(condition).refusalStatus(status, /^(missing|malformed)_token$/);

/** Of these paths, those with a trailing slash reach the endpoint, too. */
const servesSlash = (paths: RegExp): RulesOverride =>
  after('routing.target', (target) =>
    paths.test(target) ? target.replace(/^([^?]*[^?/])\/(?:\?(.*))?$/, '$1?$2&unchecked') : target,
  );
const isMarked = on(({ target }) => target.endsWith('&unchecked'));
/** Without the check of the token. */
const uncheckedSlash = (paths: RegExp): RulesOverride => compose(servesSlash(paths), isMarked.needsNoToken());
/** A path whose last segment has a parameter reaches the endpoint, too, without the check of the token. */
const uncheckedParameter: RulesOverride = compose(
  after('routing.target', (target) => target.replace(/^([^?]*);\w+(?:\?(.*))?$/, '$1?$2&unchecked')),
  isMarked.needsNoToken(),
);
/** Without the check of scopes. */
const permittedSlash = (paths: RegExp): RulesOverride =>
  compose(
    servesSlash(paths),
    isMarked.permits(() => true),
  );

/** A token begins a session, whose cookie replaces it from then on. */
const sessionByCookie: RulesOverride = compose(
  after('responses.wire', (response) => ({
    ...response,
    headers: [...response.headers, ['Set-Cookie', 'SESSION=5f2d9c1b7a3e4d60; HttpOnly'] as const],
  })),
  served((call) => hasNoHeader(call) && /SESSION=5f2d/.test(call.headers.cookie ?? '')),
);

/** Section 5, items 1 and 2: how a token is sent, and what is not a token. */
export const authenticationFaults: readonly Fault[] = faultsOf({
  '5.1/valid-token': {
    'token-refused-on-delete': deletion.after('token.sent', () => undefined),
    'deletion-always-forbidden': deletion.denies(() => true),
  },
  '5.1/no-header': {
    anonymous: served(hasNoHeader),
    'session-by-cookie': sessionByCookie,
    'preflight-by-header': served(
      (call) => hasNoHeader(call) && call.headers['access-control-request-method'] !== undefined,
    ),
    'origin-trusted': served((call) => hasNoHeader(call) && call.headers.origin !== undefined),
  },
  '5.1/no-header-path': {
    'slash-unchecked': uncheckedSlash(/^(?!.*oauth)/),
    'paths-like-those-of-files-unchecked': served((call) => hasNoHeader(call) && /\.css$/.test(call.target)),
    'path-with-a-parameter-unchecked': uncheckedParameter,
  },
  '5.1/no-header-changes-nothing': { 'slash-of-updates-unchecked': uncheckedSlash(/templates/) },
  '5.3/other-path': { 'scopes-unchecked-for-slash': permittedSlash(/^(?!.*oauth)/) },
  '5.3/refused-changes-nothing': { 'scopes-unchecked-for-slash-of-updates': permittedSlash(/templates/) },
  '5.1/other-scheme': {
    'any-scheme': everywhere.readsTokenFrom((call) => /^\S+ (\S+)/.exec(authorization(call))?.[1]),
    'basic-unchecked': served((call) => /^basic /i.test(authorization(call))),
  },
  '5.1/other-scheme-401': { 'other-scheme-403': refused(403, hasOtherScheme) },
  '5.2/garbage': {
    'null-token': served((call) => /^(null|undefined)$/.test(bearer(call))),
    'encrypted-token-unchecked': served((call) => partsOf(call) > 4),
    'list-of-credentials-unchecked': served((call) => bearer(call).includes(',')),
  },
  '5.2/further-part': {
    'further-part-ignored': everywhere.after('token.sent', (token) =>
      token?.split('.').slice(0, 3).join('.'),
    ),
  },
  '5.2/garbage-401': { 'garbage-403': refused(403, (call) => bearer(call) !== '' && partsOf(call) !== 3) },
  '5.2/three-parts': {
    'empty-parts': served((call) => bearer(call) === '..'),
    'header-without-algorithm': served((call) => bearer(call).startsWith('e30.')),
    'three-parts-500': refused(500, isUndecodable),
  },
  '5.2/three-parts-401': { 'three-parts-403': refused(403, isUndecodable) },
});
