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

/** The fenced blocks of a page, without the indentation of a list. */
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

/** The commands of a page in order, from shell blocks and pipelines, without duplicates. */
export function commandsOf(page: string): string[] {
  const seen = new Set<string>();
  return blocksOf(page).flatMap(({ language, text }) => {
    if (language === 'yaml' || language === 'groovy') {
      const commands = language === 'yaml' ? pipelineCommands(parse(text)) : jenkinsCommands(text);
      return commands.flatMap(perShard).filter((command) => !seen.has(command) && seen.add(command));
    }
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

/** Keys of commands in pipelines: GitHub and CircleCI `run`, GitLab and Azure `script`, Kubernetes `args`. */
const commandKeys = ['run', 'script', 'args'];

function pipelineCommands(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (!commandKeys.includes(key)) return pipelineCommands(inner);
    return [inner].flat().filter((command) => typeof command === 'string');
  });
}

function jenkinsCommands(pipeline: string): string[] {
  return [...pipeline.matchAll(/\bsh '([^']+)'/g)].map(([, command = '']) => command);
}

/** A command for each of the three shards of GitHub's matrix; for other CI systems, only for the first shard. */
function perShard(command: string): string[] {
  const matrix = /\$\{\{ matrix\.shard \}\}/g;
  if (matrix.test(command)) return [1, 2, 3].map((shard) => command.replaceAll(matrix, String(shard)));
  return [
    command
      .replaceAll('$CI_NODE_INDEX', '1')
      .replaceAll(/\$(CI|CIRCLE)_NODE_TOTAL/g, '3')
      .replaceAll(/\$?(CIRCLE_NODE_INDEX|JOB_COMPLETION_INDEX)/g, '0'),
  ];
}
