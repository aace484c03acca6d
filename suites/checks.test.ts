import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadLedger } from '../lib/contract/ledger.ts';

/** The source files of a folder, with their paths. */
function sources(folder: string): readonly (readonly [path: string, text: string])[] {
  const url = new URL(`../${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(new URL(name, url), 'utf8')]);
}

const places = ['suites', 'lib/runner', 'lib/cli'].flatMap(sources);

test('messages and comments name existing requirements and observations', () => {
  const { requirements, observations, excluded } = loadLedger();
  const known = [...requirements, ...observations, ...excluded].map(({ id }) => id);
  const named = places.flatMap(([path, text]) =>
    // A complete id, or one with a placeholder.
    [...text.matchAll(/(?<![\w/.-])\d(?:\.\d)?\/(?:[a-z]|\$\{)[\w${}.-]*[a-z0-9}]/g)].map(([id]) => ({
      path,
      id,
    })),
  );
  const isKnown = (id: string) => {
    const pattern = new RegExp(`^${id.replaceAll('.', '\\.').replaceAll(/\$\{[^}]*\}/g, '.+')}$`);
    return known.some((each) => pattern.test(each));
  };
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(({ id }) => !isKnown(id))).toEqual([]);
});

test('no check starts concurrent work without waiting for all of it', () => {
  const bare = sources('suites')
    .filter(([, text]) => /Promise\.(all|race|any)\(/.test(text))
    .map(([path]) => path);
  expect(bare).toEqual([]);
});
