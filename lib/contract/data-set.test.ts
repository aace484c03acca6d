import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDataSet } from './data-set.ts';
import { isObject } from './json.ts';
import { loadContract } from './load.ts';
import { operation } from './model.ts';
import type { Schema } from './schema.ts';

const contract = await loadContract();
const shipped = parseDataSet(
  JSON.parse(readFileSync(new URL('../../fixtures/tenant.json', import.meta.url), 'utf8')),
);

/** Paths of the fields and array elements that none of the values contains, and that no requirement would judge. */
function absent(schema: Schema, values: readonly unknown[], path: string): readonly string[] {
  if (values.length === 0) return [path];
  const { properties = {}, items } = contract.resolve(schema);
  const elements = values.flatMap((value) => (Array.isArray(value) ? value : []));
  return [
    ...(items === undefined ? [] : absent(items, elements, `${path}[]`)),
    ...Object.entries(properties).flatMap(([name, each]) => {
      const fields = values.filter(isObject).filter((value) => Object.hasOwn(value, name));
      return absent(
        each,
        fields.map((value) => value[name]),
        `${path}.${name}`,
      );
    }),
  ];
}

const records: Readonly<Record<string, readonly unknown[]>> = {
  listExperiments: shipped.experiments.map(({ status, experiment }) => ({ status, ...experiment })),
  listActionVersions: shipped.actions.flatMap(({ action, versions }) =>
    versions.map((version) => ({ ...version, action })),
  ),
};

test.each(Object.entries(records))('the shipped data has a value for every field of %s', (id, values) => {
  const { pagination, success } = operation(contract, id);
  const [page] = success.flatMap(({ content }) => content ?? []);
  const array = contract.resolve(page?.schema ?? {}).properties?.[pagination?.items ?? ''];
  const { items } = contract.resolve(array ?? {});
  if (items === undefined) throw new Error(`${id} lists nothing`);
  expect(absent(items, values, id)).toEqual([]);
});
