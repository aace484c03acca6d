import { fieldsOf, messageOf } from '../report/findings.ts';
import type { Difference, RequirementResult } from '../report/report.ts';
import { visibleLines } from '../report/text.ts';
import type { Judgement } from '../runner/runner.ts';

/** What a test runner hands to a running test, as far as it is used here. */
interface TestContext {
  /** Of vitest and `node:test` with the reason, of Playwright with a condition before it. */
  readonly skip: (...given: readonly unknown[]) => unknown;
  /** Of vitest. */
  readonly annotate?: (message: string, type: string) => unknown;
  /** Of Playwright. */
  readonly annotations?: { type: string; description?: string }[];
  /** Of `node:test`. */
  readonly diagnostic?: (message: string) => unknown;
}

/** A requirement that did not pass. Its differences are shown by test runners that know `expected` and `actual`. */
class RequirementError extends Error {
  override name = 'RequirementError';
  readonly expected?: string;
  readonly actual?: string;

  constructor(message: string, frames: string, difference?: Difference) {
    super(message);
    this.stack = `${this.name}: ${message}\n${frames}`;
    if (difference === undefined) return;
    this.expected = side(difference, 'expected');
    this.actual = side(difference, 'received');
  }
}

/**
 * Ends a test as its requirement was judged: passes it, skips it with the reason, annotates it or throws.
 * @param strict true where a broken inferred requirement fails its test
 * @param given what the test runner called the test with
 */
export async function settle(judgement: Judgement, strict: boolean, given: Iterable<unknown>): Promise<void> {
  const { result, violation } = judgement;
  const { verdict, reason = '', required_flags: flags = [] } = result;
  if (verdict === 'passed') return;
  const context = [...given].find(isTestContext);
  if (verdict === 'not-judged') {
    const note = visibleLines(`${reason}${flags.length === 0 ? '' : ` (needs ${flags.join(' ')})`}`);
    // What was not judged must not look as if it had passed.
    if (context === undefined) throw new Error(`not judged: ${note}`);
    await (context.annotations === undefined ? context.skip(note) : context.skip(true, note));
    return;
  }
  const message = visibleLines(textOf(result));
  if (verdict !== 'warned' || strict)
    throw new RequirementError(message, framesOf(violation?.stack), result.difference);
  context?.annotations?.push({ type: 'warning', description: message });
  context?.diagnostic?.(`warning: ${message}`);
  await context?.annotate?.(message, 'warning');
}

function isTestContext(value: unknown): value is TestContext {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'skip' in value &&
    typeof value.skip === 'function'
  );
}

/** What is wrong, where the specification says so, and how to repeat it. */
function textOf(result: RequirementResult): string {
  const shown = new Set(['source', 'reading', 'input']);
  const fields = fieldsOf({}, result).filter(({ label }) => shown.has(label));
  if (result.reproduce !== undefined) fields.push({ label: 'repeat', text: result.reproduce });
  const lines = fields.map(({ label, text }) => `${label.padEnd(8)} ${text}`);
  return [messageOf(result), '', ...lines].join('\n');
}

/** Those lines of a stack that lie in the requirement's own code. */
function framesOf(stack = ''): string {
  const isOwn = (line: string) => /^ +at .*[\\/]suites[\\/]/.test(line);
  return [...new Set(stack.split('\n').filter(isOwn))].join('\n');
}

/** One side of a difference, so that a line-by-line comparison of both shows what differs. */
function side({ expected, received, entries = [] }: Difference, name: 'expected' | 'received'): string {
  const head = name === 'expected' ? expected : received;
  const lines = entries.flatMap((entry) => {
    const value = entry[name];
    return value === undefined ? [] : `${entry.path === undefined ? '' : `${entry.path}: `}${value}`;
  });
  return visibleLines([head, ...lines].join('\n'));
}
