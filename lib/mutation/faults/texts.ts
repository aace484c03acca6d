import { override, type TemplateRules } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import type { Fault } from '../fault.ts';

/** Ways in which services have been seen to change texts. */

/** Changes the rules of templates. */
export const changesTemplates = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: TemplateRules) => Partial<TemplateRules>,
): Fault => ({ name, requirement, description, rules: (rules) => override(rules, 'templates', change) });

/** Rewrites each text. */
export const each =
  (change: (text: string) => string): ((texts: PhoneTemplates) => PhoneTemplates) =>
  (texts) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));

/** Rewrites one text. */
export const one =
  (field: string, change: (text: string) => string): ((texts: PhoneTemplates) => PhoneTemplates) =>
  (texts) => ({ ...texts, [field]: change(texts[field] ?? '') });

export const swapped = (texts: PhoneTemplates): PhoneTemplates => ({
  enrollment_message: texts.verification_message ?? '',
  verification_message: texts.enrollment_message ?? '',
});

export const unescaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
export const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
export const bmpOnly = (text: string): string => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?');
export const oneLineEnd = (text: string): string => text.replaceAll('\r\n', '\n');
export const plusKept = (text: string): string => text.replaceAll(' ', '+');
