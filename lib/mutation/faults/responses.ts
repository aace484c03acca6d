import { everywhere, versions } from '../builders/on.ts';
import { fail } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

/** Every response (sections 2, 7 and 9). */
export const responseFaults: readonly Fault[] = faultsOf({
  '7/no-server-error': [
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
      everywhere
        .when(({ method, contentLength = 0 }) => method === 'GET' && contentLength > 0)
        .after('parameters.absent', () => fail()),
    ),
    ...['policy', 'action', 'profile'].map((resource) =>
      fault(`error-for-an-unknown-${resource}`, `An unknown ${resource} is answered 500.`).by(
        everywhere.refusalStatus(500, new RegExp(`^inexistent_${resource}$`)),
      ),
    ),
  ],
  '9/answer-media-type': fault('versions-without-media-type', 'A page of versions has no Content-Type.').by(
    versions.mediaType(undefined),
  ),
});
