import type { CheckpointLife, CheckpointUse, Report } from '../report.ts';
import { line } from '../text.ts';
import { type Html, html } from './template.ts';

const outcomes: Readonly<Record<CheckpointUse['outcome'], string>> = {
  continued: 'continued',
  restarted: 'started over',
  refused: 'refused',
  other: 'something else',
};

/** Checkpoints' lives as time lines. The order is true, the distances are not: a minute before the end and a minute after it must be told apart. */
export function checkpoints(report: Report): Html | undefined {
  const all = report.checkpoints ?? [];
  if (all.length === 0) return undefined;
  return html`<section aria-labelledby="checkpoints"><h2 id="checkpoints">Life of a checkpoint</h2>
<p>Sent back at these ages. The line is not to scale.</p>${all.slice(0, 20).map(life)}</section>`;
}

function life(checkpoint: CheckpointLife): Html {
  const uses = [...checkpoint.uses].sort((a, b) => a.age_s - b.age_s);
  const valid = uses.filter(({ age_s }) => age_s <= checkpoint.lifetime_s);
  const after = uses.filter(({ age_s }) => age_s > checkpoint.lifetime_s);
  return html`<figure class="life"><figcaption><strong>${line(checkpoint.operation, 100)}</strong> ${line(checkpoint.title, 160)}${checkpoint.requirement !== undefined && html` <a href="#${checkpoint.requirement}">${checkpoint.requirement}</a>`}</figcaption>
<ol class="line"><li class="issued"><span class="age">issued</span></li>${valid.map((use) => useOf(use, 'valid'))}<li class="end"><span class="age">${age(checkpoint.lifetime_s)}</span><span class="outcome">ends</span></li>${after.map((use) => useOf(use, 'spent'))}</ol></figure>`;
}

function useOf(use: CheckpointUse, phase: 'valid' | 'spent'): Html {
  const right = use.expected === undefined ? undefined : use.expected === use.outcome;
  const verdict = right === undefined ? 'quiet' : right ? 'v-passed' : 'v-failed';
  const sign = right === undefined ? '' : right ? '✓ ' : '✗ ';
  return html`<li class="${phase}"><span class="age">${age(use.age_s)}</span><span class="outcome ${verdict}">${sign}${outcomes[use.outcome]} (${use.status})</span>${right === false && use.expected !== undefined && html`<span class="expected">expected: ${outcomes[use.expected]}</span>`}</li>`;
}

/** 86340 as `23 h 59 min`. */
export function age(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [Math.round(seconds % 60), 's'],
  ];
  const said = parts.filter(([value]) => value > 0).map(([value, unit]) => `${value} ${unit}`);
  return said.length === 0 ? 'at once' : said.join(' ');
}
