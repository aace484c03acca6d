import { readFileSync } from 'node:fs';
import { suite } from '../../suites/index.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { faults } from '../fake/faults/index.ts';
import { variants } from '../fake/variants/index.ts';
import { judgeFake } from './judge-fake.ts';

/** `npx tsx lib/prove/try.ts PATTERN…`: judges the faults and variants whose name or requirement holds a pattern. */
const patterns = process.argv.slice(2);
const chosen = [...faults, ...variants].filter((each) =>
  patterns.some(
    (pattern) => each.name.includes(pattern) || ('breaks' in each && each.breaks.includes(pattern)),
  ),
);
const judgement = {
  contract: await loadContract(),
  ledger: loadLedger(),
  suite,
  dataSet: JSON.parse(readFileSync(new URL('../../fixtures/tenant.json', import.meta.url), 'utf8')),
  seed: 1,
};
for (const each of chosen) {
  const began = performance.now();
  const cloud = 'cloud' in each ? each.cloud : undefined;
  const { requirements } = await judgeFake([each.rules], { ...judgement, ...(cloud && { cloud }) });
  const broken = requirements.filter(({ verdict }) => ['failed', 'warned', 'error'].includes(verdict));
  const own =
    'breaks' in each
      ? broken.some(({ id }) => id === each.breaks)
      : broken.every(({ id, verdict }) => verdict === 'warned' && each.warns?.includes(id)) &&
        broken.length === (each.warns?.length ?? 0);
  const shown = broken.map(({ id, verdict }) => (verdict === 'failed' ? id : `${id} (${verdict})`));
  console.log(
    `${own ? 'ok ' : 'BAD'} ${each.name} ${'breaks' in each ? each.breaks : ''} ${Math.round(performance.now() - began)} ms: ${shown.join(' ')}`,
  );
  if (!('breaks' in each))
    for (const { id, reason, verdict, not_judged_on } of requirements)
      if (verdict === 'not-judged' || not_judged_on !== undefined)
        console.log(`      not judged: ${id}: ${reason ?? JSON.stringify(not_judged_on)}`);
  if (!own || 'says' in each === false || !('breaks' in each))
    for (const { id, reason } of broken) console.log(`      ${id}: ${reason}`);
}
