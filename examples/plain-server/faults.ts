import { authenticationFaults } from './authentication-faults.ts';
import { behavior } from './behavior.ts';
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
    behavior: { isTooLarge: () => false },
  },
  {
    name: 'payload-framework-default',
    violates: 'A payload of up to one megabyte is accepted.',
    behavior: { isTooLarge: (declared, received) => Math.max(declared, received) > 100 * 1024 },
  },
  {
    name: 'payload-limit-trusts-content-length',
    violates: 'A payload has at most one megabyte, whether or not its size is declared.',
    behavior: { isTooLarge: (declared) => behavior.isTooLarge(declared, 0) },
  },
  {
    name: 'payload-decoded-by-chunk',
    violates: 'The update stores the messages as they were sent, wherever a chunk ends.',
    behavior: { bodyOf: (chunks) => Buffer.from(chunks.map(String).join('')) },
  },

  // Section 4.1: phone templates
  {
    name: 'templates-not-validated',
    violates: 'A template that fails validation is answered with 400.',
    behavior: { templateError: () => undefined },
  },
  {
    name: 'templates-first-tag-only',
    violates: 'A template that fails validation is answered with 400, wherever the mistake stands.',
    behavior: {
      templateError: (template) =>
        /\{\{.*?\}\}/s.test(template) ? undefined : behavior.templateError(template),
    },
  },
  {
    name: 'templates-message-names-the-wrong-field',
    violates: 'The message names the field whose template is invalid.',
    behavior: {
      templateMessage: (_field, details) => behavior.templateMessage('enrollment_message', details),
    },
  },
  {
    name: 'templates-message-reworded',
    violates: 'The message reads "Invalid <field> template: <details>."',
    behavior: { templateMessage: (field, details) => `Template ${field} is invalid: ${details}.` },
  },
  {
    name: 'templates-extra-field-ignored',
    violates: 'Fields other than the two are rejected.',
    behavior: {
      templatesOf(fields) {
        const { enrollment_message, verification_message } = fieldsOf(fields);
        return behavior.templatesOf({ enrollment_message, verification_message });
      },
    },
  },
  {
    name: 'templates-missing-field-is-empty',
    violates: 'Both messages are required.',
    behavior: {
      templatesOf: (fields) => behavior.templatesOf({ verification_message: '', ...fieldsOf(fields) }),
    },
  },
  {
    name: 'templates-values-coerced',
    violates: 'Both messages are strings.',
    behavior: {
      templatesOf(fields) {
        const entries = Object.entries(fieldsOf(fields)).map(([name, value]) => [name, coerced(value)]);
        return behavior.templatesOf(Object.fromEntries(entries));
      },
    },
  },
  {
    name: 'templates-json-only',
    violates: 'The update also accepts application/x-www-form-urlencoded.',
    behavior: {
      readFields(mediaType, body) {
        if (mediaType !== 'application/json') throw new Refusal('invalid', 'The body must be JSON.');
        return behavior.readFields(mediaType, body);
      },
    },
  },
  {
    name: 'templates-form-plus-kept',
    violates: 'A form body is decoded as application/x-www-form-urlencoded, where a plus is a blank.',
    behavior: {
      readFields: (mediaType, body) => behavior.readFields(mediaType, body.replaceAll('+', '%2B')),
    },
  },
  {
    name: 'templates-update-not-stored',
    violates: 'The update changes the tenant’s messages.',
    behavior: { storedTemplates: (before) => before },
  },
  {
    name: 'templates-second-message-not-stored',
    violates: 'The update changes both messages.',
    behavior: {
      storedTemplates: (before, sent) => ({ ...before, enrollment_message: sent.enrollment_message }),
    },
  },

  // Section 4.2: experiments
  {
    name: 'take-over-maximum-accepted',
    violates: 'take is at most 50.',
    behavior: { takeOf: (requested) => behavior.takeOf(requested, 'private') },
  },
  {
    name: 'take-clamped',
    violates: 'A take outside 1 to 50 is answered with 400.',
    behavior: { takeOf: (requested) => Math.min(Math.max(requested, 1), 50) },
  },
  {
    name: 'take-zero-is-default',
    violates: 'take is at least 1.',
    behavior: { takeOf: (requested, cloud) => behavior.takeOf(requested === 0 ? 25 : requested, cloud) },
  },
  {
    name: 'take-maximum-is-exclusive',
    violates: 'take may be 50.',
    behavior: { takeOf: (requested, cloud) => behavior.takeOf(requested === 50 ? 0 : requested, cloud) },
  },
  {
    name: 'take-default-is-maximum',
    violates: 'take is 25 unless another is asked for.',
    behavior: { takeDefault: () => 50 },
  },
  {
    name: 'status-unknown-matches-nothing',
    violates: 'status is one of five values; another is answered with 400.',
    behavior: { isStatus: () => true },
  },
  {
    name: 'filter-feature-flag-ignored',
    violates: 'feature_flag_id selects the experiments of that feature flag.',
    behavior: {
      matches: (entry, { feature_flag_id: _, ...filters }) => behavior.matches(entry, filters),
    },
  },
  {
    name: 'filter-flow-by-prefix',
    violates: 'authentication_flow is matched exactly.',
    behavior: {
      matches(entry, { authentication_flow: prefix = '', ...filters }) {
        return (
          coerced(entry.experiment.authentication_flow).startsWith(prefix) && behavior.matches(entry, filters)
        );
      },
    },
  },
  {
    name: 'filters-joined-by-or',
    violates: 'Each filter that is given narrows the listing.',
    behavior: {
      matches(entry, filters) {
        const given = Object.entries(filters);
        const matchesOne = ([name, value]: [string, string]) =>
          behavior.matches(entry, { status: entry.status, [name]: value });
        return given.length > 1 ? given.some(matchesOne) : behavior.matches(entry, filters);
      },
    },
  },
  {
    name: 'next-only-after-two-pages',
    violates: 'The answer carries a checkpoint whenever there are more results.',
    behavior: {
      pageOf(entries, after, take) {
        const rest = behavior.pageOf(entries, after, entries.length).page.length;
        const found = behavior.pageOf(entries, after, take);
        return rest >= 2 * take ? found : { page: found.page };
      },
    },
  },
  {
    name: 'next-on-the-last-page',
    violates: 'A checkpoint is given when more results exist, and following it comes to an end.',
    behavior: {
      pageOf(entries, after, take) {
        const { page } = behavior.pageOf(entries, after, take);
        return { page, last: page.at(-1)?.experiment.id ?? after };
      },
    },
  },
  {
    name: 'next-after-every-full-page',
    violates: 'A checkpoint is given when more results exist, not whenever the page is full.',
    behavior: {
      pageOf(entries, after, take) {
        const { page } = behavior.pageOf(entries, after, take);
        return { page, last: page.length === take ? page.at(-1)?.experiment.id : undefined };
      },
    },
  },
  {
    name: 'page-skips-an-item',
    violates: 'Following the checkpoints gives every experiment.',
    behavior: {
      pageOf(entries, after, take) {
        const { page, last } = behavior.pageOf(entries, after, take);
        // As if the next page began after the first item of its own.
        const next = entries.findIndex(({ experiment }) => experiment.id === last) + 1;
        return { page, last: last && entries[next]?.experiment.id };
      },
    },
  },
  {
    name: 'page-repeats-an-item',
    violates: 'Following the checkpoints gives every experiment once.',
    behavior: {
      pageOf: (entries, after, take) => behavior.pageOf(entries, after && before(entries, after), take),
    },
  },

  // Section 8: checkpoints
  {
    name: 'checkpoint-ignored',
    violates: 'A checkpoint that is sent as from continues the listing.',
    behavior: { startAfter: () => undefined },
  },
  {
    name: 'checkpoint-lives-twelve-hours',
    violates: 'A checkpoint is valid for 24 hours from its issue.',
    behavior: {
      startAfter: (checkpoint, nowMs) => behavior.startAfter(checkpoint, nowMs + 12 * HOUR_MS),
    },
  },
  {
    name: 'checkpoint-never-expires',
    violates: 'After 24 hours the listing restarts from the beginning.',
    behavior: { startAfter: (checkpoint) => checkpoint.after },
  },
  {
    name: 'checkpoint-expired-is-refused',
    violates: 'After 24 hours the listing restarts from the beginning, instead of failing.',
    behavior: {
      startAfter(checkpoint, nowMs) {
        const after = behavior.startAfter(checkpoint, nowMs);
        if (after === undefined) throw new Refusal('invalid', 'The checkpoint has expired.');
        return after;
      },
    },
  },

  // Section 4.3: rate limit policies
  {
    name: 'policy-not-deleted',
    violates: 'The rate limit policy is deleted.',
    behavior: { remainingPolicies: (policies) => policies },
  },
  {
    name: 'policy-deletes-those-after-it',
    violates: 'The rate limit policy with that id is deleted, and no other.',
    behavior: {
      remainingPolicies(policies, id) {
        const at = policies.findIndex((policy) => policy.id === id);
        return at === -1 ? policies : policies.slice(0, at);
      },
    },
  },
  {
    name: 'policy-id-unlimited',
    violates: 'A policy id has at most 26 characters.',
    behavior: { isPolicyId: () => true },
  },
  {
    name: 'policy-id-limit-off-by-one',
    violates: 'A policy id may have 26 characters.',
    behavior: { isPolicyId: (id) => id.length < 26 },
  },

  // Section 4.4 and 8: versions of an action
  {
    name: 'versions-page-one-indexed',
    violates: 'Pages are counted from zero.',
    behavior: {
      versionsAnswer: (versions, page, perPage) => ({
        ...behavior.versionsAnswer(versions, Math.max(page - 1, 0), perPage),
        page,
      }),
    },
  },
  {
    name: 'versions-default-is-half-the-maximum',
    violates: 'per_page is 20 for this endpoint unless another is asked for.',
    behavior: { perPageDefault: 25 },
  },
  {
    name: 'versions-maximum-of-the-other-cloud',
    violates: 'per_page is at most 50 on a public-cloud tenant.',
    behavior: { perPageOf: (requested) => behavior.perPageOf(requested, 'private') },
  },
  {
    name: 'versions-total-of-the-page',
    violates: 'total counts all versions of the action.',
    behavior: {
      versionsAnswer(versions, page, perPage) {
        const shown = versions.slice(page * perPage, (page + 1) * perPage);
        return { ...behavior.versionsAnswer(versions, page, perPage), total: shown.length };
      },
    },
  },
  {
    name: 'versions-beyond-the-end-wraps',
    violates: 'A page beyond the end is an empty array.',
    behavior: {
      versionsAnswer(versions, page, perPage) {
        const lastPage = Math.max(Math.ceil(versions.length / perPage) - 1, 0);
        return { ...behavior.versionsAnswer(versions, Math.min(page, lastPage), perPage), page };
      },
    },
  },
  {
    name: 'versions-total-as-text',
    violates: 'total is an integer.',
    behavior: {
      versionsAnswer: (versions, page, perPage) => ({
        ...behavior.versionsAnswer(versions, page, perPage),
        total: String(versions.length),
      }),
    },
  },

  // Section 4.5: custom text
  {
    name: 'custom-text-any-language',
    violates: 'The language is en, the page get-started; others are not allowed.',
    behavior: { isCustomTextPage: () => true },
  },
  {
    name: 'custom-text-of-the-first-profile',
    violates: 'The texts are those of the profile that was asked for.',
    behavior: {
      customText: (profiles, _id, language, page) =>
        behavior.customText(profiles, profiles[0]?.id ?? '', language, page),
    },
  },
  {
    name: 'custom-text-wrapped',
    violates: 'The answer is an object of text keys and string values.',
    behavior: {
      customText: (...requested) => ({ custom_text: behavior.customText(...requested) }),
    },
  },

  ...authenticationFaults,
];

/** The id of the entry that stands before the one with this id. */
function before(entries: ExperimentEntry[], id: string): string | undefined {
  return entries[entries.findIndex(({ experiment }) => experiment.id === id) - 1]?.experiment.id;
}
