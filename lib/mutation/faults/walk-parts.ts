import type { Call } from '../../fake/call.ts';
import type { CheckpointPage } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { change, isEntry } from './parts.ts';

/** Where each page after the first starts among the matches. */
export function starts(start: (index: number, matches: number, call: Call) => number): Fault['rules'] {
  return change('experiments', {
    start: (index, matches, from, call) => (from === undefined ? index : start(index, matches, call)),
  });
}

/** No next where the condition holds. */
export function lastPage(condition: (page: CheckpointPage, call: Call) => boolean): Fault['rules'] {
  return change('experiments', {
    next: (page, call) => (condition(page, call) ? undefined : page.nextPosition),
  });
}

/** created_at of the experiment at a position. */
export function timeAt(page: CheckpointPage, position: number): unknown {
  const entry = page.all[position];
  return isEntry(entry) ? entry.experiment.created_at : undefined;
}

/** From this position on, or back, the first that follows an item of another time than the item before the position. */
export function otherTime(page: CheckpointPage, position: number, step: 1 | -1): number | undefined {
  const time = timeAt(page, position - 1);
  if (time === undefined) return position;
  let at = position;
  while (at > 0 && at < page.all.length && timeAt(page, step === 1 ? at : at - 1) === time) at += step;
  return at < page.all.length ? at : undefined;
}
