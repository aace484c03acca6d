import { present } from '../contract/json.ts';
import { scriptDirectory } from '../report/scripts.ts';
import type { RunOptions } from '../runner/run-options.ts';
import type { ScriptOptions } from '../runner/script.ts';
import { effortSettings, requirementOrder } from './effort.ts';
import { defaultReportDir, tokenOptions } from './options.ts';
import { pipedProgramName } from './package.ts';
import type { Plan } from './plan.ts';
import { commandLine } from './rerun.ts';

/** The options of the runner, for a run or a dry run, without what watches it. */
export function suiteOptions(plan: Plan, seeds: boolean): RunOptions {
  const { selected, seed } = plan;
  const { settings, extras } = plan.resolved;
  const { concurrency, restartWait, maxFailures } = settings;
  return {
    seed,
    selected,
    order: requirementOrder(),
    recordExchanges: settings.har === 'full',
    rerun: plan.rerun,
    ...present({
      ...effortSettings(settings),
      // Twice as many requirements as requests run in parallel, so that the limit of requests is always used.
      concurrency: concurrency && 2 * concurrency,
      maximumPages: extras.limits?.pages,
      logWaitMs: extras.limits?.log_wait_ms,
      restartWaitMs: restartWait === undefined ? undefined : 1000 * restartWait,
      maxFailures,
      phoneMessages: extras.phone_templates,
      script: settings.baseUrl === undefined ? undefined : scriptOptions(plan),
      dataSet: seeds ? plan.dataSet : undefined,
    }),
    unavailable: new Map([
      ...(extras.assume?.subscription === false ? [withoutSubscription] : []),
      ...plan.skippedOperations.map((id) => [id, 'deselected'] as const),
    ]),
  };
}

/** Options that decide what minted tokens say. */
const mintingOptions = ['baseUrl', 'contract', 'profile', 'signingKey', 'issuer', 'audience'] as const;

/** How scripts get at the target. */
function scriptOptions({ resolved, target }: Plan): ScriptOptions {
  const { settings } = resolved;
  const isMinted = target.signingKey !== undefined;
  const names = isMinted ? mintingOptions : tokenOptions;
  const command = commandLine(resolved, `${pipedProgramName()} token`, names);
  // A key that was handed to the library has no file that a script could name.
  const isUnnamed = isMinted && settings.signingKey === undefined;
  const { control, readOnly, reportDir } = settings;
  return {
    tokenCommand: isUnnamed ? `${command} --signing-key KEY.jwk` : command,
    // Without a report directory the data to seed is in no file.
    ...(control !== undefined && reportDir !== undefined && !readOnly && { control }),
    directory: scriptDirectory(reportDir ?? defaultReportDir),
  };
}

/** The operation that requires a subscription (§1). */
const withoutSubscription = [
  'put_factor_phone_templates',
  'the tenant has no subscription for it (assume.subscription)',
] as const;
