import type { Fault } from '../fault.ts';
import { authenticationFaults } from './authentication.ts';
import { expiryFaults } from './expiry.ts';
import { scopeFaults } from './scopes.ts';
import { tokenFaults } from './tokens.ts';

/** Faults of what every request has: its token, its scopes, its payload, its correlation ID; and of section 4.1. */
export const requestFaults: readonly Fault[] = [
  ...authenticationFaults,
  ...tokenFaults,
  ...expiryFaults,
  ...scopeFaults,
];
