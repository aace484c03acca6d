import type { JsonObject } from '../../contract/json.ts';
import type { Fault } from '../fault.ts';
import { allowed, change, forgives, onWire, spells, text, together, withMember, without } from './parts.ts';

const reading = 'getSelfServiceProfileCustomText';

/** Custom text of self-service profiles (sections 2.5 and 4.5). */
export const textFaults: readonly Fault[] = [
  {
    name: 'text-answered-with-203',
    requirement: '4.5/reads',
    description: 'Custom text is answered with 203.',
    rules: onWire(reading, (answer) => (answer.status === 200 ? { ...answer, status: 203 } : answer)),
  },
  {
    name: 'text-none-is-404',
    requirement: '4.5/reads',
    description: 'A profile whose custom text is empty is answered with 404.',
    rules: change('customText', {
      found: (profiles, id) => (id === 'ssp_empty' ? undefined : profiles.get(id)),
    }),
  },
  {
    name: 'text-none-is-204',
    requirement: '4.5/reads',
    description: 'Custom text without a key is answered with 204.',
    rules: onWire(reading, (answer) =>
      answer.parts.some((part) => part === '{}') ? { ...answer, status: 204, parts: [] } : answer,
    ),
  },
  {
    name: 'text-values-wrapped',
    requirement: '2.5/custom-text-strings',
    description: 'Each text is wrapped in an object.',
    rules: shows((texts) =>
      Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, { value }])),
    ),
  },
  {
    name: 'text-wrapped-whole',
    requirement: '2.5/custom-text-strings',
    description: 'The texts stand under a member of their own.',
    rules: shows((texts) => ({ custom_text: texts })),
  },
  {
    name: 'text-one-key-is-list',
    requirement: '2.5/custom-text-strings',
    description: 'A text of several lines is a list of lines.',
    rules: shows((texts) =>
      withMember(
        texts,
        'multi',
        text((value) => value.split('\n')),
      ),
    ),
  },
  {
    name: 'text-keys-nested-at-dots',
    requirement: '2.5/custom-text-strings',
    description: 'A dot in a key opens an object.',
    rules: shows((texts) => ({ ...without(texts, 'note.html'), ...nested(texts['note.html']) })),
  },
  {
    name: 'text-blank-is-false',
    requirement: '2.5/custom-text-strings',
    description: 'An empty text is false.',
    rules: shows((texts) => withMember(texts, 'blank', () => false)),
  },
  {
    name: 'text-as-list',
    requirement: '2.5/custom-text-strings',
    description: 'Without a key the texts are an empty array, as PHP encodes an empty array.',
    rules: change('answers', ({ serialized }) => ({
      serialized: (body, call) => {
        const written = serialized(body, call);
        return call.operation?.id === reading && written === '{}' ? '[]' : written;
      },
    })),
  },
  {
    name: 'text-one-key-missing',
    requirement: '4.5/text-content',
    description: 'One key in the middle is missing.',
    rules: shows((texts) => without(texts, 'button_text')),
  },
  {
    name: 'text-blank-dropped',
    requirement: '4.5/text-content',
    description: 'A key with an empty text is missing.',
    rules: shows((texts) => without(texts, 'blank')),
  },
  {
    name: 'text-trimmed',
    requirement: '4.5/text-content',
    description: 'Blanks about a text are taken off.',
    rules: values((value) => value.trim()),
  },
  {
    name: 'text-escaped',
    requirement: '4.5/text-content',
    description: 'Markup in a text is escaped.',
    rules: values((value) => value.replaceAll('<', '&lt;')),
  },
  {
    name: 'text-sanitised',
    requirement: '4.5/text-content',
    description: 'Markup in a text is taken out.',
    rules: values((value) => value.replaceAll(/<[^>]*>/g, '')),
  },
  {
    name: 'text-templates-rendered',
    requirement: '4.5/text-content',
    description: 'What looks like a template in a text is rendered.',
    rules: values((value) => value.replaceAll(/\{\{.*?\}\}/g, '')),
  },
  {
    name: 'text-on-one-line',
    requirement: '4.5/text-content',
    description: 'Line ends in a text become blanks.',
    rules: values((value) => value.replaceAll('\n', ' ')),
  },
  {
    name: 'text-loses-other-planes',
    requirement: '4.5/text-content',
    description: 'Characters beyond the basic plane of Unicode come as question marks.',
    rules: values((value) => value.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')),
  },
  {
    name: 'text-as-latin-1',
    requirement: '4.5/text-content',
    description: 'The bytes of a text are read as Latin-1.',
    rules: values((value) => Buffer.from(value, 'utf8').toString('latin1')),
  },
  {
    name: 'text-with-its-language',
    requirement: '4.5/text-content',
    description: 'The language stands among the texts.',
    rules: shows((texts) => ({ ...texts, language: 'en' })),
  },
  {
    name: 'text-keys-in-camel-case',
    requirement: '4.5/text-content',
    description: 'Keys are put into camel case.',
    rules: shows((texts) =>
      Object.fromEntries(
        Object.entries(texts).map(([key, value]) => [
          key.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase()),
          value,
        ]),
      ),
    ),
  },
  {
    name: 'text-of-the-first-profile',
    requirement: '4.5/own-profile',
    description: 'Every profile has the text of the first.',
    rules: change('customText', { found: (profiles) => profiles.values().next().value }),
  },
  {
    name: 'text-inherits-from-the-first-profile',
    requirement: '4.5/own-profile',
    description: 'A profile shows the text of the first one for keys that it lacks.',
    rules: change('customText', ({ found, texts }) => ({
      found: (profiles, id, call) => {
        const own = found(profiles, id, call);
        const first = profiles.values().next().value;
        if (own === undefined || first === undefined || first.id === id) return own;
        const merged = {
          ...texts(first, 'en', 'get-started', call),
          ...texts(own, 'en', 'get-started', call),
        };
        return { id, custom_text: { en: { 'get-started': merged } } };
      },
    })),
  },
  {
    name: 'text-none-inherits-from-the-first-profile',
    requirement: '4.5/own-profile',
    description: 'A profile without text of its own shows that of the first.',
    rules: change('customText', {
      found: (profiles, id) => profiles.get(id === 'ssp_empty' ? 'ssp_main' : id),
    }),
  },
  {
    name: 'text-cached-by-language-and-page',
    requirement: '4.5/own-profile',
    description: 'The text that was read first is kept for all profiles.',
    rules: (rules) => {
      let kept: JsonObject | undefined;
      return change('customText', {
        shown: (texts) => {
          kept ??= texts;
          return kept;
        },
      })(rules);
    },
  },
  ...parameterFaults('language', 'a language'),
  ...parameterFaults('page', 'a page'),
  {
    name: 'language-region-falls-back',
    requirement: '4.5/language-enum',
    description: 'A language with a region is taken for the language.',
    rules: spells('language', (language) => language.split('-')[0] ?? language),
  },
  {
    name: 'language-unknown-is-english',
    requirement: '4.5/language-enum',
    description: 'A language of two letters that is not known is taken for en.',
    rules: spells('language', (language) => (/^[a-z]{2}$/.test(language) ? 'en' : language)),
  },
  {
    name: 'page-underscore-is-hyphen',
    requirement: '4.5/page-enum',
    description: 'An underscore in a page is taken for a hyphen.',
    rules: spells('page', (page) => page.replaceAll('_', '-')),
  },
  {
    name: 'page-login-accepted',
    requirement: '4.5/page-enum',
    description: 'Another flow page is accepted, and answered with no text.',
    rules: forgives('page', (page) => page === 'login'),
  },
];

/** Faults of a path parameter with an enum. */
function parameterFaults(name: 'language' | 'page', words: string): readonly Fault[] {
  const spelled = (match: (value: string, each: string) => boolean): Fault['rules'] =>
    spells(name, (value, call) =>
      String(allowed(call, name).find((each) => match(value, String(each))) ?? value),
    );
  const accepted = `4.5/${name}-enum`;
  return [
    {
      name: `text-${name}-case-insensitive`,
      requirement: accepted,
      description: `${words} is accepted in any case.`,
      rules: spelled((value, each) => value.toLowerCase() === each),
    },
    {
      name: `text-${name}-trimmed`,
      requirement: accepted,
      description: `${words} is accepted with a blank behind it.`,
      rules: spelled((value, each) => value.trim() === each),
    },
    {
      name: `text-${name}-by-beginning`,
      requirement: accepted,
      description: `The beginning of ${words} is accepted for it.`,
      rules: spelled((value, each) => each.startsWith(value)),
    },
    {
      name: `text-${name}-with-more`,
      requirement: accepted,
      description: `${words} is accepted with more behind it.`,
      rules: spelled((value, each) => value.startsWith(each)),
    },
    {
      name: `text-${name}-unchecked`,
      requirement: accepted,
      description: `Any ${name} is accepted, and answered with no text.`,
      rules: forgives(name, (value) => typeof value === 'string'),
    },
    {
      name: `text-${name}-unknown-is-500`,
      requirement: accepted,
      description: `An unknown ${name} is answered with 500.`,
      rules: together(
        forgives(name, (value) => typeof value === 'string'),
        change('customText', ({ texts }) => ({
          texts: (profile, language, page, call) => {
            const sent = name === 'language' ? language : page;
            if (!allowed(call, name).includes(sent)) throw new Error(`there is no ${name} ${sent}`);
            return texts(profile, language, page, call);
          },
        })),
      ),
    },
    {
      name: `text-${name}-unknown-is-404`,
      requirement: `${accepted}-400`,
      description: `An unknown ${name} is answered with 404.`,
      rules: together(
        forgives(name, (value) => typeof value === 'string'),
        change('customText', ({ texts }) => ({
          texts: (profile, language, page, call) =>
            allowed(call, name).includes(name === 'language' ? language : page)
              ? texts(profile, language, page, call)
              : undefined,
        })),
      ),
    },
    {
      name: `text-${name}-unknown-is-422`,
      requirement: `${accepted}-400`,
      description: `An unknown ${name} is refused with 422.`,
      rules: change('answers', ({ refusal }) => ({
        refusal: (given, call) => {
          const unknown = !allowed(call, name).includes(call.pathTexts[name]);
          return call.operation?.id === reading && unknown && given.status === 400
            ? { ...refusal(given, call), status: 422 }
            : refusal(given, call);
        },
      })),
    },
  ];
}

function shows(shown: (texts: JsonObject) => JsonObject): Fault['rules'] {
  return change('customText', { shown });
}

function values(changed: (value: string) => string): Fault['rules'] {
  return shows((texts) =>
    Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, text(changed)(value)])),
  );
}

function nested(value: unknown): JsonObject {
  return value === undefined ? {} : { note: { html: value } };
}
