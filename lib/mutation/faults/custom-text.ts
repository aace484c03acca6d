import type { JsonObject } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { customText } from '../builders/on.ts';
import { enumOf } from '../builders/predicates.ts';
import { bmpOnly, crlfToLf, escapeHtml, fail, mapValues, toLowerCase } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after } from '../rule-overrides.ts';

const shown = (transform: (texts: JsonObject) => JsonObject): RulesOverride =>
  after('customText.shown', transform);
const values = (transform: (text: string) => unknown): RulesOverride =>
  shown((texts) => mapValues(texts, (value) => (typeof value === 'string' ? transform(value) : value)));

/** Faults of a path parameter with an enum. */
function enumFaults(name: 'language' | 'page') {
  const parameter = customText.param(name);
  const matched = (fits: (value: string, allowed: string) => boolean): RulesOverride =>
    parameter.coerces((value, call) => enumOf(call, name).find((each) => fits(value, each)) ?? value);
  return {
    [`4.5/${name}-enum`]: [
      fault(`text-${name}-by-beginning`, 'A prefix is enough.').by(
        matched((sent, each) => each.startsWith(sent)),
      ),
      fault(`text-${name}-unknown-is-500`, 'An unknown value is 500.').by(
        parameter.coerces((value, call) => (enumOf(call, name).includes(value) ? value : fail())),
      ),
    ],
    [`4.5/${name}-case`]: fault(`text-${name}-case-insensitive`, 'Case is ignored.').by(
      parameter.coerces(toLowerCase),
    ),
  };
}

/** Custom text of self-service profiles (sections 2.5 and 4.5). */
export const customTextFaults: readonly Fault[] = faultsOf({
  '4.5/reads': fault('text-answered-with-203', 'Custom text is answered with 203.').by(
    customText.status(203),
  ),
  '2.5/custom-text-strings': [
    fault('text-one-key-is-list', 'A text of several lines is an array of lines.').by(
      values((text) => (text.includes('\n') ? text.split('\n') : text)),
    ),
    fault('text-as-list', 'Without keys the texts are an empty array.').by(
      customText.response((usual) => (JSON.stringify(usual.body) === '{}' ? { ...usual, body: [] } : usual)),
    ),
  ],
  '4.5/text-content': [
    fault('text-blank-dropped', 'An empty text is missing.').by(values((text) => text || undefined)),
    fault('text-cut', 'A text is cut after 255 characters.').by(values((text) => text.slice(0, 255))),
    fault('text-line-breaks', 'Line breaks are one character.').by(values(crlfToLf)),
    fault('text-escaped', 'Markup in a text is escaped.').by(values(escapeHtml)),
    fault('text-loses-other-planes', 'Characters beyond the BMP become question marks.').by(values(bmpOnly)),
  ],
  '4.5/own-profile': fault('text-of-the-first-profile', 'Every profile has the text of the first.').by(
    after('customText.found', (_own, profiles) => profiles.values().next().value),
  ),
  ...enumFaults('language'),
  ...enumFaults('page'),
});
