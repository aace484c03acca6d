import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sampleDocumentText } from '../../test/sample-document.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { select } from '../contract/select.ts';
import { representatives } from './alike.ts';

const ledger = loadLedger();
const folder = mkdtempSync(join(tmpdir(), 'alike-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'sample.yaml');
writeFileSync(file, sampleDocumentText(100));
const contract = await loadContract(file);

function found(id: string) {
  const row = ledger.requirements.find((each) => each.id === id);
  if (row === undefined) throw new Error(`no ${id}`);
  const operations = select(contract, row.operations, ledger.specific);
  return { row, operations, chosen: representatives(contract, row, operations) };
}

test('one operation of each kind stands for all: those with the same parameters, body and pagination', () => {
  const { chosen, operations } = found('5.1/valid-token');
  expect(chosen.map(({ operation }) => operation.id)).toEqual([
    'read_resource_0',
    'create_resource_0',
    'read_one_resource_0',
    'update_resource_0',
    'delete_resource_0',
    'read_resource_1',
  ]);
  expect(chosen.map(({ standsFor }) => standsFor)).toEqual([10, 20, 20, 20, 20, 10]);
  expect(operations).toHaveLength(100);
});

test('to a requirement on the token operations are alike that have the same method', () => {
  const { chosen } = found('5.2/garbage');
  expect(chosen.map(({ operation, standsFor }) => [operation.method, standsFor])).toEqual([
    ['GET', 40],
    ['POST', 20],
    ['PATCH', 20],
    ['DELETE', 20],
  ]);
});
