import type { Variant } from '../fault.ts';
import { bodyVariants } from './bodies.ts';
import { checkpointVariants } from './checkpoints.ts';
import { controlVariants } from './control.ts';
import { errorVariants } from './errors.ts';
import { frameworkVariants } from './frameworks.ts';
import { listingVariants } from './listings.ts';
import { privateCloudVariants, requestVariants } from './requests.ts';
import { responseVariants } from './responses.ts';
import { tokenVariants } from './tokens.ts';
import { transportVariants } from './transport.ts';

/** Every variant: conforming services that differ where the specification is silent. */
export const variants: readonly Variant[] = [
  ...errorVariants,
  ...responseVariants,
  ...requestVariants,
  ...privateCloudVariants,
  ...bodyVariants,
  ...listingVariants,
  ...checkpointVariants,
  ...tokenVariants,
  ...transportVariants,
  ...controlVariants,
  ...frameworkVariants,
];
