import { customText, deletion, everywhere, experiments, update, versions } from '../builders/on.ts';
import type { Where } from '../builders/predicates.ts';
import { isForm, isGet } from '../builders/predicates.ts';
import { fail } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const hasBody: Where = ({ contentLength = 0 }) => contentLength > 0;

/** What holds for every response (sections 2, 7 and 9). */
export const answerFaults: readonly Fault[] = [
  ...faultsOf('2/no-null', [
    fault('null-for-every-absent-field', 'Optional fields of an experiment without a value are null.').by(
      ...['ended_at', 'description', 'started_at'].map((name) => experiments.field(name).defaultsTo(null)),
    ),
    fault('null-segment', 'An allocation without a segment has null for it.').by(
      experiments.field('allocations[].segment_id').defaultsTo(null),
    ),
  ]),
  ...faultsOf('7/no-server-error', [
    fault('error-for-a-parameter-sent-twice', 'A repeated parameter is answered 500.').by(
      everywhere.replace('parameters.repeated', () => fail()),
    ),
    fault('error-for-an-empty-parameter', 'An empty parameter is answered 500.').by(
      everywhere.replace('parameters.empty', () => fail()),
    ),
    fault('error-for-an-unknown-parameter', 'An unknown parameter is answered 500.').by(
      everywhere.after('parameters.refusedNames', (usual, names) => (names.length > 0 ? fail() : usual)),
    ),
    fault('error-for-a-body-on-get', 'A GET request with a body is answered 500.').by(
      everywhere.when(isGet, hasBody).after('parameters.absent', () => fail()),
    ),
    fault('error-for-an-unknown-policy', 'The deletion of an unknown policy is answered 500.').by(
      deletion.refusalStatus(500, /^inexistent_policy$/),
    ),
    fault('error-for-an-unknown-action', 'The versions of an unknown action are answered 500.').by(
      versions.refusalStatus(500, /^inexistent_action$/),
    ),
    fault('error-for-an-unknown-profile', 'The custom text of an unknown profile is answered 502.').by(
      customText.refusalStatus(502, /^inexistent_profile$/),
    ),
  ]),
  ...faultsOf('9/answer-media-type', [
    fault('listing-as-html', 'A listing of experiments is declared as HTML.').by(
      experiments.mediaType('text/html'),
    ),
    fault('versions-without-media-type', 'A page of versions has no Content-Type.').by(
      versions.mediaType(undefined),
    ),
    fault('form-update-as-form', 'The response to a form is declared as a form.').by(
      update.when(isForm).mediaType('application/x-www-form-urlencoded'),
    ),
  ]),
];
