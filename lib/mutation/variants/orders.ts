import { type Check, override, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';

const order =
  (...checks: readonly Check[]): RulesOverride =>
  (rules) => ({ ...rules, checks });

/** Orders of the checks where several refusals apply (section 7: not shown). */
export const orders: readonly Variant[] = [
  {
    name: 'input-before-token',
    says: 'Invalid input is refused before the token is looked at: 400 before 401.',
    rules: order('rate', 'payload', 'parameters', 'mediaType', 'body', 'token', 'scopes'),
  },
  {
    name: 'input-before-scopes',
    says: 'Invalid input is refused between token and scopes: 400 before 403.',
    rules: order('rate', 'payload', 'token', 'parameters', 'mediaType', 'body', 'scopes'),
  },
  {
    name: 'existence-before-token',
    says: 'Data that does not exist is answered 404 to anyone, even before the token is looked at.',
    rules: order('rate', 'payload', 'parameters', 'exists', 'token', 'scopes', 'mediaType', 'body'),
  },
  {
    name: 'existence-before-scopes',
    says: 'Data that does not exist is answered 404 before the scopes are looked at.',
    rules: order('rate', 'payload', 'token', 'parameters', 'exists', 'scopes', 'mediaType', 'body'),
  },
  {
    name: 'payload-after-token',
    says: 'Token and scopes are looked at before the size of the body.',
    rules: order('rate', 'token', 'scopes', 'payload', 'parameters', 'mediaType', 'body'),
  },
  {
    name: 'media-type-first',
    says: 'The media type is looked at before anything else.',
    rules: order('mediaType', 'rate', 'payload', 'token', 'scopes', 'parameters', 'body'),
  },
];

/** Refusals of this kind with another status. */
const refusedWith =
  (codes: readonly string[], status: number): RulesOverride =>
  (rules) =>
    override(rules, 'answers', ({ refusal }) => ({
      refusal: (given, call) => refusal(codes.includes(given.code) ? { ...given, status } : given, call),
    }));

/** Answers about data that does not exist (sections 4.3 to 4.5: not shown), and other statuses. */
export const statuses: readonly Variant[] = [
  {
    name: 'unknown-policy-204',
    says: 'Deleting a policy that does not exist is answered as if it had.',
    rules: (rules) =>
      override(rules, 'answers', ({ answer }) => ({
        answer: (given, call) =>
          answer(
            given.status === 404 && call.operation?.method === 'DELETE'
              ? { status: 204, headers: [], body: undefined }
              : given,
            call,
          ),
      })),
  },
  {
    name: 'unknown-data-410',
    says: 'Data that does not exist is answered 410.',
    rules: refusedWith(['inexistent_policy', 'inexistent_action', 'inexistent_profile'], 410),
  },
  {
    name: 'unknown-data-400',
    says: 'Data that does not exist is answered 400.',
    rules: refusedWith(['inexistent_policy', 'inexistent_action', 'inexistent_profile'], 400),
  },
  {
    name: 'unknown-action-empty',
    says: 'An action that does not exist has no versions.',
    rules: (rules) =>
      override(rules, 'versions', ({ found }) => ({
        found: (actions, id, call) => found(actions, id, call) ?? { action: { id }, versions: [] },
      })),
  },
  {
    name: 'unknown-profile-empty',
    says: 'A profile that does not exist has no texts.',
    rules: (rules) =>
      override(rules, 'customText', ({ found }) => ({
        found: (profiles, id, call) => found(profiles, id, call) ?? { id, custom_text: {} },
      })),
  },
  {
    name: 'invalid-path-404',
    says: 'A path whose parameters break their schemas is answered 404.',
    warns: ['4.3/id-too-long-400', '4.5/language-enum-400', '4.5/page-enum-400'],
    rules: refusedWith(['invalid_uri'], 404),
  },
  {
    name: 'media-type-400',
    says: 'Another media type is refused with 400.',
    rules: refusedWith(['unsupported_media_type'], 400),
  },
  {
    name: 'media-type-ignored',
    says: 'Whatever the media type says, a body that is no form is read as JSON.',
    warns: ['4.1/media-type'],
    rules: (rules) =>
      override(rules, 'body', ({ mediaType }) => ({
        mediaType: (sent, operation, call) =>
          mediaType(sent, operation, call) ?? mediaType('application/json', operation, call),
      })),
  },
  {
    name: 'checkpoint-404',
    says: 'A checkpoint that is not known is answered 404.',
    rules: refusedWith(['invalid_cursor'], 404),
  },
];
