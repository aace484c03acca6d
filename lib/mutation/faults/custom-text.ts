import { type JsonObject, mapValues } from '../../contract/json.ts';
import { enumOf } from '../../contract/model.ts';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { after, customText, remembering } from '../builders/on.ts';
import { query } from '../builders/predicates.ts';
import { bmpOnly, crlfToLf, escapeHtml, fail, like, toLowerCase } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const shown = (transform: (texts: JsonObject) => JsonObject): RulesOverride =>
  after('customText.shown', transform);
const values = (transform: (text: string) => unknown): RulesOverride =>
  shown((texts) => mapValues(texts, (value) => (typeof value === 'string' ? transform(value) : value)));

/** Both parameters are looked up as members of an object, which has others by its prototype: `constructor`, and its `name`. */
const membersOfPrototypes = compose(
  customText.param('language').coerces((value) => (value in {} ? 'en' : value)),
  customText.param('page').coerces((value) => (value in Object ? 'get-started' : value)),
);

/** Faults of a path parameter with an enum. */
function enumFaults(name: 'language' | 'page') {
  const parameter = customText.param(name);
  const allowed = ({ operation }: Call) => (operation === undefined ? [] : enumOf(operation, name));
  const matched = (fits: (value: string, allowed: string) => boolean): RulesOverride =>
    parameter.coerces((value, call) => allowed(call).find((each) => fits(value, each)) ?? value);
  return {
    [`4.5/${name}-enum`]: {
      [`text-${name}-by-ending`]: matched((sent, each) => sent.endsWith(each)),
      [`text-${name}-by-beginning`]: matched((sent, each) => each.startsWith(sent)),
      [`text-${name}-of-a-prototype`]: membersOfPrototypes,
      [`text-${name}-unchecked-for-short-ids`]: parameter.coerces((value, call) =>
        (call.pathTexts.id ?? '').length < 8 ? (allowed(call)[0] ?? value) : value,
      ),
      [`text-${name}-unknown-is-500`]: parameter.coerces((value, call) =>
        allowed(call).includes(value) ? value : fail(),
      ),
    },
    [`4.5/${name}-case`]: {
      [`text-${name}-case-insensitive`]: parameter.coerces(toLowerCase),
      [`text-${name}-trimmed`]: parameter.coerces((value) => value.trimEnd()),
    },
  };
}

/** The second response to an equal request comes from a cache, and is escaped. */
const escapedWhenCached = remembering((cached) =>
  after('customText.shown', (texts, _texts, { target, headers }) => {
    const request = `${target} ${headers.authorization}`;
    if (cached.has(request)) return mapValues(texts, (text) => escapeHtml(String(text)));
    cached.add(request);
    return texts;
  }),
);

/** Custom text of self-service profiles (sections 2.5 and 4.5). */
export const customTextFaults: readonly Fault[] = faultsOf({
  '4.5/reads': {
    'text-of-a-long-id-not-found': after('customText.found', (own, _profiles, id) =>
      id.length > 32 ? undefined : own,
    ),
  },
  '9/answer-status': { 'text-answered-with-203': customText.status(203) },
  '2.5/custom-text-strings': {
    'text-one-key-is-list': values((text) => (text.includes('\n') ? text.split('\n') : text)),
    'text-as-list': customText.response((usual) =>
      JSON.stringify(usual.body) === '{}' ? { ...usual, body: [] } : usual,
    ),
  },
  '4.5/text-content': {
    'text-cut': values((text) => text.slice(0, 255)),
    'texts-beyond-ten-thousand-characters-lost': shown((texts) => {
      let characters = 0;
      return Object.fromEntries(
        Object.entries(texts).filter(([, text]) => {
          characters += String(text).length;
          return characters < 10_000;
        }),
      );
    }),
    'text-line-breaks': values(crlfToLf),
    'text-escaped': values(escapeHtml),
    'text-loses-other-planes': values(bmpOnly),
    'text-escaped-when-cached': escapedWhenCached,
  },
  '4.5/empty-text': { 'text-blank-dropped': values((text) => text || undefined) },
  '4.5/own-profile': {
    'text-of-a-hundred-keys': shown((texts) => Object.fromEntries(Object.entries(texts).slice(0, 100))),
    'text-of-the-profile-in-the-query': after(
      'customText.found',
      (own, profiles, _id, call) => profiles.get(query(call, 'id') ?? '') ?? own,
    ),
    'text-of-a-profile-id-cut-at-36': after(
      'customText.found',
      (own, profiles, sent) =>
        own && [...profiles.values()].find(({ id }) => id.slice(0, 36) === sent.slice(0, 36)),
    ),
    'text-of-the-profile-whose-id-begins-alike': after(
      'customText.found',
      (own, profiles, sent) => own ?? [...profiles.values()].find(({ id }) => sent.startsWith(id)),
    ),
    'text-of-the-profile-that-begins-with-the-id': after('customText.found', (_own, profiles, sent) =>
      [...profiles.values()].find(({ id }) => id.startsWith(sent)),
    ),
    'text-of-the-first-profile-that-matches': after('customText.found', (_own, profiles, sent) =>
      [...profiles.values()].find(({ id }) => like(sent).test(id)),
    ),
    'text-of-the-first-profile-for-one-without': after('customText.found', (own, profiles) =>
      JSON.stringify(own?.custom_text.en) === '{"get-started":{}}' ? profiles.values().next().value : own,
    ),
  },
  '4.5/text-no-further-keys': {
    'text-default-for-a-profile-without': shown((texts) =>
      Object.keys(texts).length === 0 ? { title: 'Welcome' } : texts,
    ),
  },
  ...enumFaults('language'),
  ...enumFaults('page'),
});
