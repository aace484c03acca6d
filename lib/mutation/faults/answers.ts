import type { Call } from '../../fake/call.ts';
import type { Fault } from '../fault.ts';
import {
  asked,
  change,
  eachIn,
  experimentMember,
  experimentShown,
  mediaType,
  versionMember,
  versionShown,
} from './parts.ts';

/** What holds for every answer (sections 2, 7 and 9). */
export const answerFaults: readonly Fault[] = [
  {
    name: 'null-for-every-absent-field',
    requirement: '2/no-null',
    description: 'Optional fields of an experiment without a value are null.',
    rules: experimentShown((each) => ({ ended_at: null, description: null, started_at: null, ...each })),
  },
  {
    name: 'null-in-one-experiment',
    requirement: '2/no-null',
    description: 'One experiment in the middle has null for ended_at.',
    rules: experimentShown((each, index, page) =>
      index === 70 && page.matches > 100 ? { ended_at: null, ...each } : each,
    ),
  },
  {
    name: 'null-segment',
    requirement: '2/no-null',
    description: 'An allocation without a segment has null for it.',
    rules: experimentMember(
      'allocations',
      eachIn((allocation) => ({ segment_id: null, ...allocation })),
    ),
  },
  {
    name: 'null-modules',
    requirement: '2/no-null',
    description: 'A version without modules has null for them.',
    rules: versionShown((version) => ({ modules: null, ...version })),
  },
  {
    name: 'null-default-runtime',
    requirement: '2/no-null',
    description: 'A trigger without a default runtime has null for it.',
    rules: versionMember(
      'supported_triggers',
      eachIn((trigger) => ({ default_runtime: null, ...trigger })),
    ),
  },
  {
    name: 'error-for-a-parameter-sent-twice',
    requirement: '7/no-server-error',
    description: 'A parameter that is sent twice is answered with 500.',
    rules: change('parameters', {
      repeated: () => {
        throw new TypeError('take.trim is not a function');
      },
    }),
  },
  {
    name: 'error-for-an-empty-parameter',
    requirement: '7/no-server-error',
    description: 'An empty parameter is answered with 500.',
    rules: change('parameters', {
      empty: () => {
        throw new TypeError('the value is empty');
      },
    }),
  },
  {
    name: 'error-for-an-unknown-parameter',
    requirement: '7/no-server-error',
    description: 'An unknown parameter is answered with 500.',
    rules: change('parameters', {
      refusedNames: (names) => {
        if (names.length > 0) throw new Error(`no such column: ${names[0]}`);
        return [];
      },
    }),
  },
  {
    name: 'error-for-a-body-on-get',
    requirement: '7/no-server-error',
    description: 'A GET request with a body is answered with 500.',
    rules: change('parameters', ({ absent }) => ({
      absent: (parameter, call) => {
        if (call.method === 'GET' && (call.contentLength ?? 0) > 0) throw new Error('no body was expected');
        return absent(parameter, call);
      },
    })),
  },
  {
    name: 'error-for-an-unknown-policy',
    requirement: '7/no-server-error',
    description: 'The deletion of a policy that does not exist is answered with 500.',
    rules: change('policies', ({ found }) => ({
      found: (policies, id, call) => must(found(policies, id, call), id, 'no-such'),
    })),
  },
  {
    name: 'error-for-an-unknown-action',
    requirement: '7/no-server-error',
    description: 'The versions of an action that does not exist are answered with 500.',
    rules: change('versions', ({ found }) => ({
      found: (actions, id, call) => must(found(actions, id, call), id, ''),
    })),
  },
  {
    name: 'error-for-an-unknown-profile',
    requirement: '7/no-server-error',
    description: 'The custom text of a profile that does not exist is answered with 502.',
    rules: change('answers', ({ refusal }) => ({
      refusal: (given, call) =>
        isTexts(call) && given.status === 404
          ? { ...refusal(given, call), status: 502 }
          : refusal(given, call),
    })),
  },
  {
    name: 'error-for-a-signed-integer',
    requirement: '7/no-server-error',
    description: 'A take with a plus before it is answered with 500.',
    rules: change('parameters', ({ numberOf }) => ({
      numberOf: (text, parameter, call) => {
        if (text.startsWith('+')) throw new Error('invalid integer');
        return numberOf(text, parameter, call);
      },
    })),
  },
  {
    name: 'listing-as-html',
    requirement: '9/answer-media-type',
    description: 'A listing of experiments says that it is HTML.',
    rules: mediaType('listExperiments', 'text/html; charset=utf-8'),
  },
  {
    name: 'empty-listing-as-text',
    requirement: '9/answer-media-type',
    description: 'A listing without experiments says that it is plain text.',
    rules: mediaType('listExperiments', 'text/plain', ({ parts }) =>
      parts.some((part) => String(part).startsWith('{"experiments":[]')),
    ),
  },
  {
    name: 'later-pages-as-javascript',
    requirement: '9/answer-media-type',
    description: 'Pages after the first say that they are JavaScript.',
    rules: mediaType(
      'listExperiments',
      'text/javascript',
      (_answer, call) => asked(call, 'from') !== undefined,
    ),
  },
  {
    name: 'versions-as-hal',
    requirement: '9/answer-media-type',
    description: 'A page of versions says that it is HAL.',
    rules: mediaType('listActionVersions', 'application/hal+json'),
  },
  {
    name: 'versions-without-media-type',
    requirement: '9/answer-media-type',
    description: 'A page of versions comes without Content-Type.',
    rules: mediaType('listActionVersions', undefined),
  },
  {
    name: 'text-as-octets',
    requirement: '9/answer-media-type',
    description: 'Custom text says that it is bytes.',
    rules: mediaType('getSelfServiceProfileCustomText', 'application/octet-stream'),
  },
  {
    name: 'update-as-text-json',
    requirement: '9/answer-media-type',
    description: 'The answer to an update says that it is text/json.',
    rules: mediaType('put_factor_phone_templates', 'text/json'),
  },
  {
    name: 'form-update-as-form',
    requirement: '9/answer-media-type',
    description: 'The answer to a form update says that it is a form.',
    rules: mediaType(
      'put_factor_phone_templates',
      'application/x-www-form-urlencoded',
      (_answer, call) => call.mediaType === 'application/x-www-form-urlencoded',
    ),
  },
];

/** What was found; throws for an id of this beginning. */
function must<T>(found: T | undefined, id: string, beginning: string): T | undefined {
  if (found === undefined && id.startsWith(beginning)) throw new TypeError(`cannot read ${id}`);
  return found;
}

function isTexts(call: Call): boolean {
  return call.operation?.id === 'getSelfServiceProfileCustomText';
}
