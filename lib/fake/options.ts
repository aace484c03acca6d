import { readDocument, shippedFile } from '../contract/document.ts';
import type { Contract } from '../contract/model.ts';
import { createParser } from '../contract/schema-parser.ts';

/** The functions with options. */
const names = ['startFake()', 'token()', 'failNext()', 'waitForRequest()', 'intercept()'] as const;

const schemas = Object(readDocument(shippedFile('fixtures/fake-options.yaml')));
const parsers = new Map(
  names.map((name) => {
    const fail = (problem: string) => new TypeError(`${name}: ${problem}`);
    return [name, createParser('the options', () => schemas[name], fail)] as const;
  }),
);

/** Checks the options of the named function. @throws TypeError with a one-line message */
export function checkOptions(name: (typeof names)[number], value: unknown): void {
  parsers.get(name)?.(value);
}

/** Checks that the contract has these scopes. @throws TypeError */
export function checkScopes(name: string, scopes: readonly string[], contract: Contract): void {
  const known = new Set(contract.scopes.map((scope) => scope.name));
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown !== undefined) throw new TypeError(`${name}: the contract has no scope ${unknown}`);
}
