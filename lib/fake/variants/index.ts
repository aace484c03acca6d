import type { Variant } from '../fault.ts';

/** Every variant: conforming services that differ where the specification is silent. */
export const variants: readonly Variant[] = [];
