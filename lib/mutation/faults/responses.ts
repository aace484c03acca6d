import { everywhere, versions } from '../builders/on.ts';
import { fail } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** Every response (sections 2, 7 and 9). */
export const responseFaults: readonly Fault[] = faultsOf({
  '7/no-server-error': {
    'error-for-a-parameter-sent-twice': everywhere.replace('parameters.repeated', () => fail()),
    'error-for-an-empty-parameter': everywhere.replace('parameters.empty', () => fail()),
    'error-for-an-unknown-parameter': everywhere.after('parameters.refusedNames', (usual, names) =>
      names.length > 0 ? fail() : usual,
    ),
    'error-for-a-body-on-get': everywhere
      .when(({ method, contentLength = 0 }) => method === 'GET' && contentLength > 0)
      .after('parameters.absent', () => fail()),
    'error-for-an-unknown-policy': everywhere.refusalStatus(500, /^inexistent_policy$/),
    'error-for-an-id-with-nul': everywhere.after('parameters.decodedPath', (text) =>
      text?.includes('\0') ? fail() : text,
    ),
    'error-for-a-profile-of-a-prototype': everywhere.after('customText.found', (own, _profiles, id) =>
      own === undefined && id in {} ? fail() : own,
    ),
  },
  '9/answer-media-type': { 'versions-without-media-type': versions.mediaType(undefined) },
});
