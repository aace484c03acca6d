import { Liquid } from 'liquidjs';

/** The locale affects rendering only, and nothing is rendered; without it, Liquid looks it up, a tenth of a fake's start. */
const liquid = new Liquid({ locale: 'en-US' });
// A tag whose lines are tags: their number would escape the bound below.
delete liquid.tags.liquid;

/** Liquid's parser takes quadratic time in the number of tags: 64 s for 200,000. */
const maximumTags = 5000;

/**
 * What is wrong with a text as a Liquid template, in the parser's own words and without a final dot; undefined for a
 * valid one. Nothing is rendered: unknown variables are allowed.
 */
export function templateProblem(text: string): string | undefined {
  const tags = text.match(/\{[{%]/g)?.length ?? 0;
  if (tags === 0) return undefined;
  if (tags > maximumTags) return `more than ${maximumTags} tags`;
  try {
    liquid.parse(text);
    return undefined;
  } catch (error) {
    // The parser calls itself for each block.
    if (error instanceof RangeError) return 'too many nested blocks';
    // Only the first line: the parser's excerpt of the source may run over many lines.
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return line.replace(/[\s.]+$/, '') || 'it cannot be parsed';
  }
}

/** The message of §4.1, with exactly one final dot. */
export function templateMessage(field: string, details: string): string {
  return `Invalid ${field} template: ${details}.`;
}
