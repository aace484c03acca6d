import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const root = new URL('../', import.meta.url);

/** README.md and every page of docs/. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The fenced blocks of a page, with the indent of a list taken away. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(page, root), 'utf8');
  return [...text.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', body = '']) => ({
      page,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** The commands of a page, in its order: those of its shell blocks, and those that its pipelines run. */
export function commandsOf(page: string): string[] {
  return blocksOf(page).flatMap(({ language, text }) => {
    if (language === 'yaml') return pipelineCommands(parse(text));
    if (language !== 'sh' && language !== 'console') return [];
    const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
    return lines
      .filter((line) => language === 'sh' || line.startsWith('$ '))
      .map((line) => line.replace(/^\$ /, '').replace(/\s+#.*$/, ''))
      .filter((line) => line.trim() !== '');
  });
}

/** Files that a page shows: a YAML block that begins with its name in a comment. */
export function filesOf(page: string): [name: string, text: string][] {
  return blocksOf(page).flatMap(({ text }): [string, string][] => {
    const [, name] = /^# ([\w-]+\.yaml)\b/.exec(text) ?? [];
    return name === undefined ? [] : [[name, text]];
  });
}

/** What stands under `run` or `script`, wherever; once for each value of a matrix named `shard`. */
function pipelineCommands(value: unknown, shards: readonly unknown[] = [1]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = shardsOf(value) ?? shards;
  return Object.entries(value).flatMap(([name, inner]) => {
    if ((name !== 'run' && name !== 'script') || typeof inner !== 'string')
      return pipelineCommands(inner, own);
    if (!inner.includes('matrix.shard')) return [inner];
    return own.map((shard) => inner.replaceAll(/\$\{\{ matrix\.shard \}\}/g, String(shard)));
  });
}

function shardsOf(job: object): readonly unknown[] | undefined {
  const found: unknown = JSON.parse(JSON.stringify(job), (name, value: unknown) =>
    name === 'strategy' ? Object(Object(value).matrix).shard : value,
  );
  const shards: unknown = Object(found).strategy;
  return Array.isArray(shards) ? shards : undefined;
}
