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

const language = customText.param('language');
const page = customText.param('page');
const allowed = ({ operation }: Call, name: string) => (operation ? enumOf(operation, name) : []);
/** A value of the parameter is accepted if it is similar to an allowed one. */
const similar = (name: string, fits: (value: string, allowed: string) => boolean): RulesOverride =>
  customText
    .param(name)
    .coerces((value, call) => allowed(call, name).find((each) => fits(value, each)) ?? value);

/** Both parameters are looked up as members of an object, which has others by its prototype: `constructor`, and its `name`. */
const membersOfPrototypes = compose(
  language.coerces((value) => (value in {} ? 'en' : value)),
  page.coerces((value) => (value in Object ? 'get-started' : value)),
);

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
    'text-of-a-hundred-keys': shown((texts) => Object.fromEntries(Object.entries(texts).slice(0, 100))),
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
  '4.5/language-enum': {
    'text-language-by-ending': similar('language', (sent, each) => sent.endsWith(each)),
    'text-language-by-beginning': similar('language', (sent, each) => each.startsWith(sent)),
    'text-language-of-a-prototype': membersOfPrototypes,
    'text-language-unchecked-for-short-ids': language.coerces((value, call) =>
      (call.pathTexts.id ?? '').length < 8 ? (allowed(call, 'language')[0] ?? value) : value,
    ),
    'text-language-unknown-is-500': language.coerces((value, call) =>
      allowed(call, 'language').includes(value) ? value : fail(),
    ),
  },
  '4.5/language-case': { 'text-language-trimmed': language.coerces((value) => value.trimEnd()) },
  '4.5/page-enum': { 'text-page-by-beginning': similar('page', (sent, each) => each.startsWith(sent)) },
  '4.5/page-case': { 'text-page-case-insensitive': page.coerces(toLowerCase) },
});
