import type { Fault } from '../fault.ts';
import { authenticationFaults } from './authentication.ts';
import { clientCredentialsFaults } from './client-credentials.ts';
import { correlationFaults } from './correlation.ts';
import { payloadFaults } from './payload-limit.ts';
import { scopeFaults } from './scopes.ts';
import { tokenFaults } from './tokens.ts';
import { updateBodyFaults } from './update-bodies.ts';
import { updateMessageFaults } from './update-messages.ts';
import { updateTemplateFaults } from './update-templates.ts';

/** Faults of what every request has: its token, its scopes, its payload, its correlation ID; and of section 4.1. */
export const requestFaults: readonly Fault[] = [
  ...authenticationFaults,
  ...clientCredentialsFaults,
  ...correlationFaults,
  ...payloadFaults,
  ...scopeFaults,
  ...tokenFaults,
  ...updateBodyFaults,
  ...updateMessageFaults,
  ...updateTemplateFaults,
];
