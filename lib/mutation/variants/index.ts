import type { Variant } from '../fault.ts';
import { contents, details, refusals, successes } from './answers.ts';
import { checkpoints } from './checkpoints.ts';
import { controls } from './control.ts';
import { inputs, payloads } from './input.ts';
import { orders as listingOrders, pages } from './listings.ts';
import { orders, statuses } from './orders.ts';
import { issues, tokens } from './tokens.ts';
import { connections, framing, pauses, writing } from './transport.ts';

/** Those that differ in how HTTP carries their answers. */
export const transportVariants: readonly Variant[] = [...framing, ...writing, ...connections, ...pauses];

/** Every variant: conforming services that differ where the specification is silent. */
export const variants: readonly Variant[] = [
  ...refusals,
  ...details,
  ...successes,
  ...contents,
  ...orders,
  ...statuses,
  ...inputs,
  ...payloads,
  ...listingOrders,
  ...pages,
  ...checkpoints,
  ...tokens,
  ...issues,
  ...transportVariants,
  ...controls,
];
