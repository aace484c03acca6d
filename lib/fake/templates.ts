import { Liquid } from 'liquidjs';

/** Nothing is rendered, so the locale has no effect; but without it, Liquid's lookup takes a tenth of a fake's start. */
const liquid = new Liquid({ locale: 'en-US' });
// Each line of this tag is a tag, which the limit below would not count.
delete liquid.tags.liquid;

/** Liquid's parser takes quadratic time in the number of tags: 64 s for 200,000. */
const maximumTags = 5000;

/**
 * Why a text is not a valid Liquid template: the parser's message without a final dot; undefined for a
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
    // The parser is recursive.
    if (error instanceof RangeError) return 'too many nested blocks';
    // Only the first line: the parser's excerpt of the source may run over many lines.
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return line.replace(/[\s.]+$/, '') || 'it cannot be parsed';
  }
}
