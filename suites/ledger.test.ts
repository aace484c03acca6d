import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadLedger } from '../lib/contract/ledger.ts';
import { loadContract } from '../lib/contract/load.ts';
import { selectors } from '../lib/contract/select.ts';
import { suite } from './index.ts';

const ledger = loadLedger();
const contract = await loadContract();

test('every row of the ledger has a check, and every check has a row', () => {
  const rows = [
    ...ledger.requirements.map(({ id }) => `requirement ${id}`),
    ...ledger.observations.map(({ id }) => `observation ${id}`),
  ];
  const checks = suite.map(({ kind, id }) => `${kind === 'exchange' ? 'requirement' : kind} ${id}`);
  expect(checks.sort()).toEqual(rows.sort());
});

test('ids are unique, and dependencies, selectors and operations are known', () => {
  const { requirements, observations, excluded } = ledger;
  const ids = [...requirements, ...excluded].map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const known = requirements.map(({ id }) => id);
  expect(requirements.flatMap(({ dependsOn }) => dependsOn.filter((id) => !known.includes(id)))).toEqual([]);
  const named = [...requirements, ...observations].map(({ operations }) => operations);
  const isKnown = (id: string) => contract.operations.some((operation) => operation.id === id);
  expect(
    named.filter((each) => (typeof each === 'string' ? !(each in selectors) : !each.every(isKnown))),
  ).toEqual([]);
});

test('ids are never reused or renumbered: this list only grows', () => {
  expect(ledger.requirements.map(({ id, level }) => `${id} ${level}`)).toMatchSnapshot();
});

test('every stated requirement names a section of the specification as its source', () => {
  const stated = ledger.requirements.filter(({ level }) => level === 'stated');
  expect(stated.filter(({ source }) => !/^§\d(\.\d)?\b/.test(source)).map(({ id }) => id)).toEqual([]);
});

test('an id begins with its section', () => {
  const rows = [...ledger.requirements, ...ledger.observations, ...ledger.excluded];
  expect(rows.filter(({ id, section }) => !id.startsWith(`${section}/`))).toEqual([]);
});

test('dependencies between requirements have no cycle', () => {
  const dependencies = new Map(ledger.requirements.map(({ id, dependsOn }) => [id, dependsOn]));
  const visit = (id: string, seen: Set<string> = new Set()): Set<string> => {
    for (const each of dependencies.get(id) ?? []) if (!seen.has(each)) visit(each, seen.add(each));
    return seen;
  };
  expect(ledger.requirements.filter(({ id }) => visit(id).has(id)).map(({ id }) => id)).toEqual([]);
});

test('every section of the specification that binds a server is covered', () => {
  const covered = new Set(
    [...ledger.requirements, ...ledger.excluded].map(({ section }) => section.split('.')[0]),
  );
  expect([...covered].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
});

test('no suite repeats a bound of the contract', () => {
  // Numbers of the contract that would hardly occur by chance.
  const files = ['payload-limit', 'checkpoints', 'correlation', 'rate-limit-policies'];
  const found = files.flatMap((file) => {
    const text = readFileSync(new URL(`./${file}.ts`, import.meta.url), 'utf8');
    return [...text.matchAll(/\b(1_?000_?000|1_?048_?57[67]|86_?400|64|26)\b/g)].map(
      ([number]) => `${file}: ${number}`,
    );
  });
  expect(found).toEqual([]);
});
