import { Liquid } from 'liquidjs';

/** Nothing is rendered, so the locale is nobody's; left out, it would be found out, which is a tenth of a fake's start. */
const liquid = new Liquid({ locale: 'en-US' });

/**
 * What is wrong with a text as a Liquid template, in the parser's own words and without a final dot; undefined for a
 * valid one. Nothing is rendered: unknown variables are no problem.
 */
export function templateProblem(text: string): string | undefined {
  // Nothing else begins anything in Liquid, and most texts have neither.
  if (!text.includes('{{') && !text.includes('{%')) return undefined;
  try {
    liquid.parse(text);
    return undefined;
  } catch (error) {
    // Only the first line: the parser's excerpt of the source may run over many lines.
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return line.replace(/[\s.]+$/, '') || 'it cannot be parsed';
  }
}

/** The message of section 4.1, with exactly one final dot. */
export function templateMessage(field: string, details: string): string {
  return `Invalid ${field} template: ${details}.`;
}
