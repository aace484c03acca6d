import { fieldsOf, messageOf } from '../report/findings.ts';
import type { Difference, RequirementResult } from '../report/report.ts';
import { visibleLines } from '../report/text.ts';
import type { Judgement } from '../runner/runner.ts';

/** The used part of the context that a test runner passes to a test. */
interface TestContext {
  /** vitest and `node:test` take the reason, Playwright a condition before it. */
  readonly skip: (...given: readonly unknown[]) => unknown;
  /** Only in vitest. */
  readonly annotate?: (message: string, type: string) => unknown;
  /** Only in Playwright. */
  readonly annotations?: { type: string; description?: string }[];
  /** Only in `node:test`. */
  readonly diagnostic?: (message: string) => unknown;
}

/** A requirement that did not pass. Test runners that know `expected` and `actual` show its difference. */
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
 * Ends a test according to the judgement of its requirement: passes it, skips it with the reason, annotates it or throws.
 * @param strict true if a broken inferred requirement fails its test
 * @param given the arguments that the test runner passed to the test
 */
export async function settle(judgement: Judgement, strict: boolean, given: Iterable<unknown>): Promise<void> {
  const { result, violation } = judgement;
  const { verdict, reason = '', required_flags: flags = [] } = result;
  if (verdict === 'passed') return;
  const context = [...given].find(isTestContext);
  if (verdict === 'not-judged') {
    const note = visibleLines(`${reason}${flags.length === 0 ? '' : ` (needs ${flags.join(' ')})`}`);
    // A requirement that was not judged must not look like a passed one.
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

/** The failure, its source in the specification, and how to repeat it. */
function textOf(result: RequirementResult): string {
  const shown = new Set(['source', 'reading', 'input']);
  const fields = fieldsOf({}, result).filter(({ label }) => shown.has(label));
  if (result.reproduce !== undefined) fields.push({ label: 'repeat', text: result.reproduce });
  const lines = fields.map(({ label, text }) => `${label.padEnd(8)} ${text}`);
  return [messageOf(result), '', ...lines].join('\n');
}

/** The lines of a stack that are in the requirement's own code. */
function framesOf(stack = ''): string {
  const isOwn = (line: string) => /^ +at .*[\\/]suites[\\/]/.test(line);
  return [...new Set(stack.split('\n').filter(isOwn))].join('\n');
}

/** One side of a difference as text, for a line-by-line comparison with the other. */
function side({ expected, received, entries = [] }: Difference, name: 'expected' | 'received'): string {
  const head = name === 'expected' ? expected : received;
  const lines = entries.flatMap((entry) => {
    const value = entry[name];
    return value === undefined ? [] : `${entry.path === undefined ? '' : `${entry.path}: `}${value}`;
  });
  return visibleLines([head, ...lines].join('\n'));
}
