import { authenticationFaults } from './authentication-faults.ts';
import { behaviour } from './behaviour.ts';
import { fieldsOf, type PlainServerFault } from './fault.ts';
import { type ExperimentEntry, Refusal } from './model.ts';

const HOUR_MS = 60 * 60 * 1000;

const coerced = (value: unknown) => String(value ?? '');

/** Typical defects, by section of the specification; in each group the obvious ones come first. */
export const plainServerFaults: PlainServerFault[] = [
  // Section 1 and 8: payload
  {
    name: 'payload-unlimited',
    violates: 'A payload has at most one megabyte.',
    behaviour: { isTooLarge: () => false },
  },
  {
    name: 'payload-framework-default',
    violates: 'A payload of up to one megabyte is accepted.',
    behaviour: { isTooLarge: (declared, received) => Math.max(declared, received) > 100 * 1024 },
  },
  {
    name: 'payload-limit-trusts-content-length',
    violates: 'A payload has at most one megabyte, whether or not its size is declared.',
    behaviour: { isTooLarge: (declared) => behaviour.isTooLarge(declared, 0) },
  },

  // Section 4.1: phone templates
  {
    name: 'templates-not-validated',
    violates: 'A template that fails validation is answered with 400.',
    behaviour: { templateError: () => undefined },
  },
  {
    name: 'templates-first-tag-only',
    violates: 'A template that fails validation is answered with 400, wherever the mistake stands.',
    behaviour: {
      templateError: (template) =>
        /\{\{.*?\}\}/s.test(template) ? undefined : behaviour.templateError(template),
    },
  },
  {
    name: 'templates-message-names-the-wrong-field',
    violates: 'The message names the field whose template is invalid.',
    behaviour: {
      templateMessage: (_field, details) => behaviour.templateMessage('enrollment_message', details),
    },
  },
  {
    name: 'templates-message-reworded',
    violates: 'The message reads "Invalid <field> template: <details>."',
    behaviour: { templateMessage: (field, details) => `Template ${field} is invalid: ${details}.` },
  },
  {
    name: 'templates-extra-field-ignored',
    violates: 'Fields other than the two are rejected.',
    behaviour: {
      templatesOf(fields) {
        const { enrollment_message, verification_message } = fieldsOf(fields);
        return behaviour.templatesOf({ enrollment_message, verification_message });
      },
    },
  },
  {
    name: 'templates-missing-field-is-empty',
    violates: 'Both messages are required.',
    behaviour: {
      templatesOf: (fields) => behaviour.templatesOf({ verification_message: '', ...fieldsOf(fields) }),
    },
  },
  {
    name: 'templates-values-coerced',
    violates: 'Both messages are strings.',
    behaviour: {
      templatesOf(fields) {
        const entries = Object.entries(fieldsOf(fields)).map(([name, value]) => [name, coerced(value)]);
        return behaviour.templatesOf(Object.fromEntries(entries));
      },
    },
  },
  {
    name: 'templates-json-only',
    violates: 'The update also accepts application/x-www-form-urlencoded.',
    behaviour: {
      readFields(mediaType, body) {
        if (mediaType !== 'application/json') throw new Refusal('invalid', 'The body must be JSON.');
        return behaviour.readFields(mediaType, body);
      },
    },
  },
  {
    name: 'templates-form-plus-kept',
    violates: 'A form body is decoded as application/x-www-form-urlencoded, where a plus is a blank.',
    behaviour: {
      readFields: (mediaType, body) => behaviour.readFields(mediaType, body.replaceAll('+', '%2B')),
    },
  },
  {
    name: 'templates-update-not-stored',
    violates: 'The update changes the tenant’s messages.',
    behaviour: { storedTemplates: (before) => before },
  },
  {
    name: 'templates-second-message-not-stored',
    violates: 'The update changes both messages.',
    behaviour: {
      storedTemplates: (before, sent) => ({ ...before, enrollment_message: sent.enrollment_message }),
    },
  },

  // Section 4.2: experiments
  {
    name: 'take-over-maximum-accepted',
    violates: 'take is at most 50.',
    behaviour: { takeOf: (requested) => behaviour.takeOf(requested, 'private') },
  },
  {
    name: 'take-clamped',
    violates: 'A take outside 1 to 50 is answered with 400.',
    behaviour: { takeOf: (requested) => Math.min(Math.max(requested, 1), 50) },
  },
  {
    name: 'take-zero-is-default',
    violates: 'take is at least 1.',
    behaviour: { takeOf: (requested, cloud) => behaviour.takeOf(requested === 0 ? 25 : requested, cloud) },
  },
  {
    name: 'take-maximum-is-exclusive',
    violates: 'take may be 50.',
    behaviour: { takeOf: (requested, cloud) => behaviour.takeOf(requested === 50 ? 0 : requested, cloud) },
  },
  {
    name: 'take-default-is-maximum',
    violates: 'take is 25 unless another is asked for.',
    behaviour: { takeDefault: () => 50 },
  },
  {
    name: 'status-unknown-matches-nothing',
    violates: 'status is one of five values; another is answered with 400.',
    behaviour: { isStatus: () => true },
  },
  {
    name: 'filter-feature-flag-ignored',
    violates: 'feature_flag_id selects the experiments of that feature flag.',
    behaviour: {
      matches: (entry, { feature_flag_id: _, ...filters }) => behaviour.matches(entry, filters),
    },
  },
  {
    name: 'filter-flow-by-prefix',
    violates: 'authentication_flow is matched exactly.',
    behaviour: {
      matches(entry, { authentication_flow: prefix = '', ...filters }) {
        return (
          coerced(entry.experiment.authentication_flow).startsWith(prefix) &&
          behaviour.matches(entry, filters)
        );
      },
    },
  },
  {
    name: 'filters-joined-by-or',
    violates: 'Each filter that is given narrows the listing.',
    behaviour: {
      matches(entry, filters) {
        const given = Object.entries(filters);
        const matchesOne = ([name, value]: [string, string]) =>
          behaviour.matches(entry, { status: entry.status, [name]: value });
        return given.length > 1 ? given.some(matchesOne) : behaviour.matches(entry, filters);
      },
    },
  },
  {
    name: 'next-only-after-two-pages',
    violates: 'The answer carries a checkpoint whenever there are more results.',
    behaviour: {
      pageOf(entries, after, take) {
        const rest = behaviour.pageOf(entries, after, entries.length).page.length;
        const found = behaviour.pageOf(entries, after, take);
        return rest >= 2 * take ? found : { page: found.page };
      },
    },
  },
  {
    name: 'next-on-the-last-page',
    violates: 'A checkpoint is given when more results exist, and following it comes to an end.',
    behaviour: {
      pageOf(entries, after, take) {
        const { page } = behaviour.pageOf(entries, after, take);
        return { page, last: page.at(-1)?.experiment.id ?? after };
      },
    },
  },
  {
    name: 'next-after-every-full-page',
    violates: 'A checkpoint is given when more results exist, not whenever the page is full.',
    behaviour: {
      pageOf(entries, after, take) {
        const { page } = behaviour.pageOf(entries, after, take);
        return { page, last: page.length === take ? page.at(-1)?.experiment.id : undefined };
      },
    },
  },
  {
    name: 'page-skips-an-item',
    violates: 'Following the checkpoints gives every experiment.',
    behaviour: {
      pageOf(entries, after, take) {
        const { page, last } = behaviour.pageOf(entries, after, take);
        // As if the next page began after the first item of its own.
        const next = entries.findIndex(({ experiment }) => experiment.id === last) + 1;
        return { page, last: last && entries[next]?.experiment.id };
      },
    },
  },
  {
    name: 'page-repeats-an-item',
    violates: 'Following the checkpoints gives every experiment once.',
    behaviour: {
      pageOf: (entries, after, take) => behaviour.pageOf(entries, after && before(entries, after), take),
    },
  },

  // Section 8: checkpoints
  {
    name: 'checkpoint-ignored',
    violates: 'A checkpoint that is sent as from continues the listing.',
    behaviour: { startAfter: () => undefined },
  },
  {
    name: 'checkpoint-lives-twelve-hours',
    violates: 'A checkpoint is valid for 24 hours from its issue.',
    behaviour: {
      startAfter: (checkpoint, nowMs) => behaviour.startAfter(checkpoint, nowMs + 12 * HOUR_MS),
    },
  },
  {
    name: 'checkpoint-never-expires',
    violates: 'After 24 hours the listing restarts from the beginning.',
    behaviour: { startAfter: (checkpoint) => checkpoint.after },
  },
  {
    name: 'checkpoint-expired-is-refused',
    violates: 'After 24 hours the listing restarts from the beginning, instead of failing.',
    behaviour: {
      startAfter(checkpoint, nowMs) {
        const after = behaviour.startAfter(checkpoint, nowMs);
        if (after === undefined) throw new Refusal('invalid', 'The checkpoint has expired.');
        return after;
      },
    },
  },

  // Section 4.3: rate limit policies
  {
    name: 'policy-not-deleted',
    violates: 'The rate limit policy is deleted.',
    behaviour: { remainingPolicies: (policies) => policies },
  },
  {
    name: 'policy-deletes-those-after-it',
    violates: 'The rate limit policy with that id is deleted, and no other.',
    behaviour: {
      remainingPolicies(policies, id) {
        const at = policies.findIndex((policy) => policy.id === id);
        return at === -1 ? policies : policies.slice(0, at);
      },
    },
  },
  {
    name: 'policy-id-unlimited',
    violates: 'A policy id has at most 26 characters.',
    behaviour: { isPolicyId: () => true },
  },
  {
    name: 'policy-id-limit-off-by-one',
    violates: 'A policy id may have 26 characters.',
    behaviour: { isPolicyId: (id) => id.length < 26 },
  },

  // Section 4.4 and 8: versions of an action
  {
    name: 'versions-page-one-indexed',
    violates: 'Pages are counted from zero.',
    behaviour: {
      versionsAnswer: (versions, page, perPage) => ({
        ...behaviour.versionsAnswer(versions, Math.max(page - 1, 0), perPage),
        page,
      }),
    },
  },
  {
    name: 'versions-default-is-half-the-maximum',
    violates: 'per_page is 20 for this endpoint unless another is asked for.',
    behaviour: { perPageDefault: 25 },
  },
  {
    name: 'versions-maximum-of-the-other-cloud',
    violates: 'per_page is at most 50 on a public-cloud tenant.',
    behaviour: { perPageOf: (requested) => behaviour.perPageOf(requested, 'private') },
  },
  {
    name: 'versions-total-of-the-page',
    violates: 'total counts all versions of the action.',
    behaviour: {
      versionsAnswer(versions, page, perPage) {
        const shown = versions.slice(page * perPage, (page + 1) * perPage);
        return { ...behaviour.versionsAnswer(versions, page, perPage), total: shown.length };
      },
    },
  },
  {
    name: 'versions-beyond-the-end-wraps',
    violates: 'A page beyond the end is an empty array.',
    behaviour: {
      versionsAnswer(versions, page, perPage) {
        const lastPage = Math.max(Math.ceil(versions.length / perPage) - 1, 0);
        return { ...behaviour.versionsAnswer(versions, Math.min(page, lastPage), perPage), page };
      },
    },
  },
  {
    name: 'versions-total-as-text',
    violates: 'total is an integer.',
    behaviour: {
      versionsAnswer: (versions, page, perPage) => ({
        ...behaviour.versionsAnswer(versions, page, perPage),
        total: String(versions.length),
      }),
    },
  },

  // Section 4.5: custom text
  {
    name: 'custom-text-any-language',
    violates: 'The language is en, the page get-started; others are not allowed.',
    behaviour: { isCustomTextPage: () => true },
  },
  {
    name: 'custom-text-of-the-first-profile',
    violates: 'The texts are those of the profile that was asked for.',
    behaviour: {
      customText: (profiles, _id, language, page) =>
        behaviour.customText(profiles, profiles[0]?.id ?? '', language, page),
    },
  },
  {
    name: 'custom-text-wrapped',
    violates: 'The answer is an object of text keys and string values.',
    behaviour: {
      customText: (...requested) => ({ custom_text: behaviour.customText(...requested) }),
    },
  },

  ...authenticationFaults,
];

/** The id of the entry that stands before the one with this id. */
function before(entries: ExperimentEntry[], id: string): string | undefined {
  return entries[entries.findIndex(({ experiment }) => experiment.id === id) - 1]?.experiment.id;
}
