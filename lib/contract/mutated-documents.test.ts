import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { invalidText, jsonOf, minimalInput } from '../arbitraries/input.ts';
import { invalidWays } from '../arbitraries/invalid.ts';
import { runConformance } from '../cli/run.ts';
import { startFake } from '../fake/index.ts';
import { readDocument } from './document.ts';
import { ContractError, contractFile, loadContract } from './load.ts';
import { NotGenerated } from './not-generated.ts';
import { validValues } from './valid.ts';

/**
 * A mutated document is refused in one line, or its operations get inputs and the fake serves it. To mutate other documents 500
 * times each: `MUTATED_DOCUMENTS='a.yaml b.json' MUTATIONS=500`. With `JUDGED=1` the fake is judged, too.
 */
const { MUTATED_DOCUMENTS: files = contractFile, MUTATIONS: numRuns = 30, JUDGED: isJudged } = process.env;
const longestMs = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'mutated-'));

const values = [
  null,
  5,
  -1,
  0.5,
  1e9,
  'x',
  '',
  '(',
  true,
  false,
  [],
  [5],
  {},
  { $ref: '#/nowhere' },
  { $ref: '#' },
];

interface Place {
  readonly holder: object;
  readonly name: string;
}

/** Every member of objects and arrays in the document. */
function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [{ holder: value, name }, ...placesOf(inner)]);
}

/** Does what a run does before its first request, or a whole quick run. @returns the message of a refusal */
async function use(document: object): Promise<string> {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  try {
    const contract = await loadContract(file);
    for (const operation of contract.operations) {
      const media = jsonOf(operation.body?.content);
      for (const make of [
        () => minimalInput(contract, operation),
        () => operation.parameters.map((each) => invalidText(contract, each)),
        () => media && validValues(contract, media),
        () => media && invalidWays(contract, media.schema, media.validate, 5),
      ])
        try {
          make();
        } catch (error) {
          if (!(error instanceof NotGenerated)) throw error;
        }
    }
    if (!isJudged) await (await startFake({ contract })).close();
    else {
      const { requirements } = await runConformance({ contract, effort: 'quick', seed: 1 });
      expect(requirements.filter(({ verdict }) => /failed|warned|error/.test(verdict))).toEqual([]);
    }
    return '';
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.message;
  }
}

test.each(files.split(' ').map((file) => [basename(file), file]))(
  'mutations of %s are refused in one line or used',
  async (_name, file) => {
    const text = JSON.stringify(readDocument(file));
    const mutation = fc.record({
      at: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      value: fc.constantFrom(undefined, 'moved', ...values),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ at, value }) => {
        const document = JSON.parse(text);
        const places = placesOf(document);
        for (const index of at) {
          const place = places[index % places.length];
          const other = places[(index * 7) % places.length];
          if (place === undefined || other === undefined) continue;
          const moved = value === 'moved' ? structuredClone(Reflect.get(other.holder, other.name)) : value;
          Reflect.set(place.holder, place.name, moved);
        }
        const began = performance.now();
        const message = await use(document);
        expect(message).not.toContain('\n');
        expect(performance.now() - began).toBeLessThan(longestMs);
      }),
      { numRuns: Number(numRuns), seed: 1 },
    );
  },
  3_600_000,
);
