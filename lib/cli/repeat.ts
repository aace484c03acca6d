import { isObject } from '../contract/json.ts';
import { didYouMean } from '../contract/similar.ts';
import { fieldsOf, markOf } from '../report/findings.ts';
import type { RecordedExchange, Report, RequirementResult } from '../report/report.ts';
import { isBroken, signs, splitName, wordsOf } from '../report/summary.ts';
import { wantsColor } from '../report/terminal.ts';
import { TerminalText } from '../report/terminal-text.ts';
import { line } from '../report/text.ts';
import { parseRunFlags } from './command.ts';
import { repeatOptions } from './command-options.ts';
import { watchInterrupts } from './interrupts.ts';
import { defaultReportDir, type Flags, isOptionName, options, parseFlags } from './options.ts';
import { readReport } from './report-dir.ts';
import { runWithOptions } from './run.ts';
import { type ResolvedOptions, readSettings } from './settings.ts';
import { UsageError } from './usage.ts';

/** Characters of a body that are shown. */
const shownCharacters = 400;

/**
 * `repeat ID`: judges one requirement of a report again (`ID@OPERATION`: on one operation), with its seed and against its target,
 * and prints each exchange with the difference marked. Returns 1 if it still fails, 0 if it passes, 3 if it was not judged.
 * @throws UsageError
 */
export async function repeatCommand(name: string, flags: Flags): Promise<number> {
  const { report: place = repeatOptions.report.default } = parseFlags(repeatOptions, flags);
  const before = readReport(place);
  const [id] = splitName(name);
  const result = before.requirements.find((each) => each.id === id);
  if (result === undefined) {
    const ids = before.requirements.map((each) => each.id);
    throw new UsageError(`repeat: the report has no requirement ${id}${didYouMean(id, ids)}`);
  }
  const resolved = settingsOf(before, result, name, flags);
  const { settings } = resolved;
  const say = (text: string) => process.stderr.write(`${line(text)}\n`);
  if (settings.baseUrl !== undefined && settings.control === undefined)
    say(
      'without --control the tenant is not seeded and the clock is not set; the requests run against the existing data',
    );
  const interrupts = watchInterrupts();
  try {
    const report = await runWithOptions(resolved, {
      signal: interrupts.signal,
      onTrouble: (message) => say(`warning: ${message}`),
    });
    const again = report.requirements.find((each) => each.id === id) ?? result;
    process.stdout.write(transcript(report, again, result));
    return isBroken(again) ? 1 : again.verdict === 'passed' ? 0 : 3;
  } finally {
    interrupts.end();
  }
}

/** The settings of the report's run, for this requirement alone; flags and variables given now go first. */
function settingsOf(
  { run, target }: Report,
  { id, rerun = '' }: RequirementResult,
  name: string,
  flags: Flags,
): ResolvedOptions {
  const then = Object.entries(parseRunFlags(run.arguments ?? [])).filter(
    // A report may come from elsewhere: it must not name a command to run.
    ([name]) => isOptionName(name) && !options[name].secret,
  );
  const isEmbedded = run.arguments === undefined;
  const resolved = readSettings(
    { ...(!isEmbedded && { baseUrl: target.base_url }), ...Object.fromEntries(then), ...flags },
    process.env,
  );
  // A check over all exchanges is repeated with the requirement whose exchange showed it.
  const [, shownBy = id] = / --only '([^']+)'$/.exec(rerun) ?? [];
  const only = shownBy === id ? [name] : [name, shownBy];
  return {
    ...resolved,
    settings: { reportDir: defaultReportDir, ...resolved.settings, only, seed: run.seed },
  };
}

/**
 * The exchanges, the difference marked in the decisive one, and what the result has to say.
 * @param before the result that is repeated
 */
function transcript(report: Report, result: RequirementResult, before: RequirementResult): string {
  const page = new TerminalText({ color: wantsColor(process.stdout), columns: process.stdout.columns });
  for (const [index, exchange] of result.exchanges.entries()) {
    page.line();
    const isDecisive = index === result.exchanges.length - 1 && isBroken(result);
    shown(page, exchange, index, isDecisive ? result : undefined);
  }
  page.line();
  page.hangingIndent(`${signs[result.verdict]} `, `${result.id}: ${line(result.description, 400)}`, 'bold');
  if (result.verdict === 'passed' && isBroken(before))
    page.field(
      'but',
      `it ${wordsOf(before.verdict)} in the run: it is intermittent, or depends on earlier requests`,
    );
  if (result.verdict !== 'passed')
    for (const { label, text } of fieldsOf(report, result)) page.field(label, line(text, 600));
  return page.text();
}

function shown(
  page: TerminalText,
  exchange: RecordedExchange,
  index: number,
  result: RequirementResult | undefined,
): void {
  const { request, response, failure } = exchange;
  page.hangingIndent(`${index + 1}`.padEnd(4), line(`${request.method} ${request.url}`, 1_000), 'bold');
  const { claims } = request.token ?? {};
  if (isObject(claims)) page.field('token', line(JSON.stringify(claims), 300));
  if (request.body) page.field('body', line(request.body, shownCharacters));
  const mark = result && markOf(exchange, result);
  const status = response === undefined ? line(failure ?? 'no response', 300) : String(response.status);
  page.field('response', mark?.at === 'status' ? page.colorize(`✗ ${status}`, 'bold', 'red') : status);
  if (response === undefined || response.body === '') return;
  page.field('', line(response.body, shownCharacters));
  if (mark?.at === 'body' && mark.text)
    page.field('✗ here', page.colorize(line(mark.text, 300), 'bold', 'red'));
}
