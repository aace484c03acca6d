import { visibleLines } from './text.ts';

/** Markup that is known to be safe; nothing but `html` and `trusted` make it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What a template may contain. Text is escaped; undefined and false render as nothing. */
export type Part = string | number | Html | undefined | false | readonly Part[];

/** HTML or XML whose every value is escaped, unless it is markup itself. Attribute values must stand in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, part] of parts.entries()) markup += rendered(part) + (strings[index + 1] ?? '');
  return new Html(markup);
}

/** Markup from a constant of this program. Never for text that came from anywhere else. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function rendered(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string')
    return visibleLines(part).replace(/[&<>"']/g, (character) => entities[character] ?? character);
  if (typeof part === 'number') return String(part);
  if (part instanceof Html) return part.markup;
  return part.map(rendered).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
