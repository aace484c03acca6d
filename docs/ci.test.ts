import { readFileSync } from 'node:fs';
import { validateWorkflow } from '@action-validator/core';
import circleci from '@circleci/circleci-config-parser';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { describe, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { blocksOf } from '../test/markdown-blocks.ts';

/** That the pipelines of docs/ci.md are valid; that their commands work is in docs.test.ts. */
const pipelines = blocksOf('docs/ci.md').filter(({ language }) => language === 'yaml');
const textsWith = (key: string): string[] =>
  pipelines.map(({ text }) => text).filter((text) => Object.hasOwn(parse(text), key));
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('GitHub Actions', () => {
  const workflows = [...textsWith('on'), read('.github/workflows/ci.yml')];

  test.each(workflows)('workflow %#', (content) => {
    expect(validateWorkflow(content).errors).toEqual([]);
  });

  test('the check finds a wrong key', () => {
    expect(workflows).toHaveLength(4);
    const wrong = workflows[0]?.replace('runs-on', 'run-on') ?? '';
    expect(validateWorkflow(wrong).errors).not.toEqual([]);
  });
});

test('Kubernetes', () => {
  const [text = ''] = textsWith('apiVersion');
  new Job(parse(text)).validate();
  const wrong = parse(text.replace('completions: 3', 'completions: three'));
  expect(() => new Job(wrong).validate()).toThrow('completions must be integer');
});

test('CircleCI', () => {
  const [text = ''] = textsWith('workflows');
  circleci.parseConfig(text);
  expect(() =>
    circleci.parseConfig(text.replace('store_artifacts: { path', 'store_artifacts: { file')),
  ).toThrow();
});

// No maintained package has the schemas of these two.
test.each([
  ['GitLab', 'stages', ['stages', 'judge', 'merge', 'pages']],
  ['Azure Pipelines', 'pool', ['trigger', 'pool', 'steps']],
])('%s is YAML without repeated keys', (_name, key, keys) => {
  const [text = ''] = textsWith(key);
  const { errors, warnings } = parseDocument(text, { strict: true, uniqueKeys: true });
  expect([...errors, ...warnings]).toEqual([]);
  expect(Object.keys(parse(text))).toEqual(keys);
});

test('the version that is named is the current one', () => {
  const { name, version } = JSON.parse(read('package.json'));
  const named = [...read('docs/ci.md').matchAll(new RegExp(`${name}[@:](\\d[\\d.]*\\d)`, 'g'))];
  expect(new Set(named.map(([, found]) => found))).toEqual(new Set([version]));
});

test('Dockerfile has at most 15 lines', () => {
  expect(read('Dockerfile').trimEnd().split('\n').length).toBeLessThanOrEqual(15);
});
