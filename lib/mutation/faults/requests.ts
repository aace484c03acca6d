import type { Fault } from '../fault.ts';
import { authenticationFaults } from './authentication.ts';
import { clientCredentialsFaults } from './client-credentials.ts';
import { correlationFaults } from './correlation.ts';
import { payloadFaults } from './payload-limit.ts';
import { phoneTemplateFaults } from './phone-templates.ts';
import { scopeFaults } from './scopes.ts';
import { templateBodyFaults } from './template-bodies.ts';
import { templateCheckFaults } from './template-checks.ts';
import { templateInputFaults } from './template-input.ts';
import { templatesHeldFaults } from './templates-held.ts';
import { tokenFaults } from './tokens.ts';

/** Faults of what every request has: its token, its scopes, its payload, its correlation ID; and of section 4.1. */
export const requestFaults: readonly Fault[] = [
  ...authenticationFaults,
  ...clientCredentialsFaults,
  ...correlationFaults,
  ...payloadFaults,
  ...phoneTemplateFaults,
  ...scopeFaults,
  ...templateBodyFaults,
  ...templateCheckFaults,
  ...templateInputFaults,
  ...templatesHeldFaults,
  ...tokenFaults,
];
