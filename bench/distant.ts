import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyPair } from '../lib/cli/keys.ts';
import { startCli } from '../test/child-process.ts';
import { judged, type Section } from './bench.ts';
import { atMost, type Measured } from './row.ts';

/** Milliseconds before each answer of the distant target. */
const latency = 50;

/** The suite against a fake in another process that is far away, by how many requests it may have under way. */
export const distant: Section = async ({ folder, isQuick }) => {
  const { privateJwk, jwks } = await createKeyPair('EdDSA');
  const [key, trusted] = [join(folder, 'key.jwk'), join(folder, 'jwks.json')];
  writeFileSync(key, JSON.stringify(privateJwk));
  writeFileSync(trusted, JSON.stringify(jwks));
  const client = ['--client-id', 'bench', '--client-secret', 'known-to-this-bench-alone'];
  const far = ['--latency', String(latency), '--control-port', '0', '--trusted-jwks', trusted, ...client];
  const fake = startCli(['fake', ...far]);
  try {
    const told = await fake.until('Ctrl-C ends it.');
    const address = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(told)?.[1] ?? '';
    const target = ['--base-url', address('base URL'), '--control', address('control'), ...client];
    const judge = async (concurrency: number): Promise<Run> => {
      const reports = join(folder, `distant-${concurrency}`);
      const rigour = isQuick ? ['--runs', '2'] : [];
      const running = ['--signing-key', key, '--concurrency', String(concurrency), ...rigour];
      const began = performance.now();
      const { run, summary } = await judged(reports, ...target, ...running);
      const wall = (performance.now() - began) / 1000;
      const { passed, not_judged } = summary.stated;
      return {
        concurrency,
        wall,
        ideal: (run.requests * latency) / concurrency / 1000,
        what: `${run.requests} requests, ${passed} of ${passed + not_judged} judged`,
      };
    };
    const [few, many] = [await judge(16), await judge(64)];
    return [
      { ...row(few), goal: atMost(1.3) },
      row(many),
      {
        name: 'distant/speed-up',
        what: 'the same, from concurrency 16 to 64',
        value: few.wall / many.wall,
        unit: 'times',
        beside: { what: 'times, were nothing sequential', value: few.ideal / many.ideal },
      },
    ];
  } finally {
    fake.child.kill('SIGINT');
    await fake.ended;
  }
};

interface Run {
  readonly concurrency: number;
  /** Seconds that the whole process took. */
  readonly wall: number;
  /** Seconds that it would take were there nothing but latency, and always that many requests under way. */
  readonly ideal: number;
  readonly what: string;
}

function row({ concurrency, wall, ideal, what }: Run): Measured {
  return {
    name: `distant/${concurrency}`,
    what: `--latency ${latency} --concurrency ${concurrency}: wall time (${what})`,
    value: wall,
    unit: 's',
    beside: { what: 's, requests × latency / concurrency', value: ideal },
  };
}
