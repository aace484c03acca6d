import type { ProfileEntry } from '../../contract/data-set.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { customText, stateful } from '../builders/on.ts';
import { enumOf } from '../builders/predicates.ts';
import { bmpOnly, escapeHtml, mapValues, without } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after } from '../rule-overrides.ts';

const shown = (change: (texts: JsonObject) => JsonObject): RulesOverride => after('customText.shown', change);
const values = (change: (text: string) => unknown): RulesOverride =>
  shown((texts) => mapValues(texts, (value) => (typeof value === 'string' ? change(value) : value)));

const isEmpty = (body: unknown): boolean => isObject(body) && Object.keys(body).length === 0;

const firstOf = (profiles: ReadonlyMap<string, ProfileEntry>) => profiles.values().next().value;

/** Faults of a path parameter with an enum. */
function enumFaults(name: 'language' | 'page'): readonly Fault[] {
  const parameter = customText.param(name);
  const matched = (fits: (value: string, allowed: string) => boolean): RulesOverride =>
    parameter.coerces((value, call) => enumOf(call, name).find((each) => fits(value, each)) ?? value);
  const unknown = (status: number): RulesOverride =>
    customText.after('answers.refusal', (usual, _refusal, call) =>
      enumOf(call, name).includes(call.pathTexts[name] ?? '') || usual.status !== 400
        ? usual
        : { ...usual, status },
    );
  return [
    ...faultsOf(`4.5/${name}-enum`, [
      fault(`text-${name}-by-beginning`, 'A prefix is enough.').by(
        matched((sent, each) => each.startsWith(sent)),
      ),
      fault(`text-${name}-unchecked`, 'Any value is accepted, without text.').by(parameter.accepts()),
      fault(`text-${name}-unknown-is-500`, 'An unknown value is 500.').by(unknown(500)),
    ]),
    ...faultsOf(`4.5/${name}-case`, [
      fault(`text-${name}-case-insensitive`, 'Case is ignored.').by(
        matched((sent, each) => sent.toLowerCase() === each),
      ),
    ]),
  ];
}

/** Custom text of self-service profiles (sections 2.5 and 4.5). */
export const textFaults: readonly Fault[] = [
  ...faultsOf('4.5/reads', [
    fault('text-answered-with-203', 'Custom text is answered with 203.').by(customText.status(203)),
  ]),
  ...faultsOf('2.5/custom-text-strings', [
    fault('text-values-wrapped', 'Each text is wrapped in an object.').by(values((value) => ({ value }))),
    fault('text-one-key-is-list', 'A text of several lines is an array of lines.').by(
      values((text) => (text.includes('\n') ? text.split('\n') : text)),
    ),
    fault('text-as-list', 'Without keys the texts are an empty array.').by(
      customText.response((usual) => (isEmpty(usual.body) ? { ...usual, body: [] } : usual)),
    ),
  ]),
  ...faultsOf('4.5/text-content', [
    fault('text-one-key-missing', 'One key is missing.').by(shown((texts) => without(texts, 'button_text'))),
    fault('text-blank-dropped', 'An empty text is missing.').by(values((text) => text || undefined)),
    fault('text-escaped', 'Markup in a text is escaped.').by(values(escapeHtml)),
    fault('text-templates-rendered', 'Templates are rendered.').by(
      values((text) => text.replaceAll(/\{\{.*?\}\}/g, '')),
    ),
    fault('text-loses-other-planes', 'Characters beyond the BMP become question marks.').by(values(bmpOnly)),
  ]),
  ...faultsOf('4.5/text-no-further-keys', [
    fault('text-with-its-language', 'It has its language.').by(
      shown((texts) => ({ ...texts, language: 'en' })),
    ),
  ]),
  ...faultsOf('4.5/own-profile', [
    fault('text-of-the-first-profile', 'Every profile has the text of the first.').by(
      after('customText.found', (_own, profiles) => firstOf(profiles)),
    ),
    fault('text-cached-by-language-and-page', 'The text that is read first is cached for all profiles.').by(
      stateful(() => {
        let cached: JsonObject | undefined;
        return shown((texts) => (cached ??= texts));
      }),
    ),
  ]),
  ...enumFaults('language'),
  ...enumFaults('page'),
  ...faultsOf('4.5/language-enum', []),
  ...faultsOf('4.5/page-enum', []),
];
