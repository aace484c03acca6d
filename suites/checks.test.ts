import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadLedger } from '../lib/contract/ledger.ts';

/** The sources whose text names requirements or sends requests, by their paths. */
function sources(folder: string): readonly (readonly [path: string, text: string])[] {
  const url = new URL(`../${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(new URL(name, url), 'utf8')]);
}

const places = ['suites', 'lib/runner', 'lib/cli'].flatMap(sources);

test('the ids that messages and comments name are ids of requirements or observations', () => {
  const { requirements, observations, excluded } = loadLedger();
  const known = [...requirements, ...observations, ...excluded].map(({ id }) => id);
  const named = places.flatMap(([path, text]) =>
    // An id in full, or with one part that is filled in.
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

test('no check begins several things at once without waiting for all of them', () => {
  const bare = places
    .filter(([path]) => path.startsWith('suites/'))
    .filter(([, text]) => /Promise\.(all|race|any)\(/.test(text))
    .map(([path]) => path);
  expect(bare).toEqual([]);
});
