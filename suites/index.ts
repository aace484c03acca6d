import type { Check } from '../lib/runner/requirement.ts';
import { actionVersions } from './action-versions.ts';
import { anyHistory } from './any-history.ts';
import { authentication } from './authentication.ts';
import { checkpointLife } from './checkpoint-life.ts';
import { checkpoints } from './checkpoints.ts';
import { clientCredentials } from './client-credentials.ts';
import { correlation } from './correlation.ts';
import { customText } from './custom-text.ts';
import { everyExchange } from './every-exchange.ts';
import { experimentFilters } from './experiment-filters.ts';
import { experimentWalks } from './experiment-walks.ts';
import { experiments } from './experiments.ts';
import { invalidTemplates } from './invalid-templates.ts';
import { malformedScopes } from './malformed-scopes.ts';
import { pathSpellings } from './path-spellings.ts';
import { payloadLimit } from './payload-limit.ts';
import { phoneTemplates } from './phone-templates.ts';
import { rateLimitPolicies } from './rate-limit-policies.ts';
import { refusedEffects } from './refused-effects.ts';
import { scopes } from './scopes.ts';
import { storedMessages } from './stored-messages.ts';
import { templateInput } from './template-input.ts';
import { versionPages } from './version-pages.ts';

/** The whole suite: a check for each row of the ledger. */
export const suite: readonly Check[] = [
  ...authentication,
  ...pathSpellings,
  ...malformedScopes,
  ...scopes,
  ...refusedEffects,
  ...clientCredentials,
  ...correlation,
  ...payloadLimit,
  ...phoneTemplates,
  ...storedMessages,
  ...templateInput,
  ...invalidTemplates,
  ...experiments,
  ...experimentFilters,
  ...experimentWalks,
  ...checkpoints,
  ...checkpointLife,
  ...rateLimitPolicies,
  ...actionVersions,
  ...versionPages,
  ...customText,
  ...anyHistory,
  ...everyExchange,
];
