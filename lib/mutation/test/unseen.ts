import { readDocument } from '../../contract/document.ts';
import type { Mutant } from './mutants.ts';

/** Kinds of mutants that no conforming suite could see. */
const rows: readonly Readonly<Record<'fault' | 'class' | 'reason', string>>[] = Object(
  readDocument(new URL('./unseen.yaml', import.meta.url)),
);

export const unseen = rows.map(({ fault, class: name, reason }) => ({
  fault: new RegExp(fault),
  class: new RegExp(name),
  reason,
}));

/** The reason why no conforming suite could see the mutant; undefined if one could. */
export function reasonOf({ fault, classes }: Pick<Mutant, 'fault' | 'classes'>): string | undefined {
  const name = `${fault.requirement} ${fault.name}`;
  return unseen.find((each) => each.fault.test(name) && classes.some((one) => each.class.test(one)))?.reason;
}
