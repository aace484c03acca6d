import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flagOf, type OptionName, optionNames, profileKeyOf, specOf, variableOf } from './options.ts';
import { createProgram } from './program.ts';
import { readSettings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'options-'));
const file = join(folder, 'some.pem');
writeFileSync(file, '-----BEGIN CERTIFICATE-----');

/** Three different good values of an option, as text. */
function samples(name: OptionName): [string, string, string] {
  const { type, choices } = specOf(name);
  const at = (letter: string) => join(folder, `${name}-${letter}`);
  const files: [string, string, string] = [at('a'), at('b'), at('c')];
  if (choices) return [choices[0] ?? '', choices.at(-1) ?? '', choices[0] ?? ''];
  if (type === 'file') for (const each of files) writeFileSync(each, name === 'profile' ? '{}' : 'x');
  if (type === 'file' || type === 'path') return files;
  if (type === 'url') return ['http://a.example/api/v2', 'https://b.example', 'http://[::1]:8080/x'];
  if (type === 'integer' || type === 'number') return ['11', '12', '13'];
  if (type === 'shard') return ['1/2', '2/2', '1/3'];
  if (type === 'headers') return ['X-A: 1', 'X-B: 2', 'X-C: 3'];
  return ['one', 'two', 'three'];
}

/** What must stand beside an option, so that the settings go together. */
const company: Partial<Record<OptionName, Partial<Record<OptionName, string>>>> = {
  clientId: { clientSecret: 's3cret' },
  clientSecret: { clientId: 'id' },
  cert: { key: file },
  key: { cert: file },
  issuer: { signingKey: file },
  tokenUrl: { clientId: 'id', clientSecret: 's3cret' },
  json: { list: 'true' },
  updateBaseline: { baseline: 'b.yaml' },
};

function environmentFor(name: OptionName): Record<string, string> {
  const beside = { ...(name !== 'baseUrl' && { baseUrl: 'http://x.example' }), ...company[name] };
  const named = (text: string) => optionNames.filter((other) => other === text).map(variableOf);
  return Object.fromEntries(
    Object.entries(beside).flatMap(([other, value]) => named(other).map((variable) => [variable, value])),
  );
}

function parsedFlags(args: readonly string[]): Record<string, unknown> {
  const { command } = createProgram();
  command.action(() => {});
  command.parse([...args], { from: 'user' });
  return command.opts();
}

const listTypes = ['texts', 'patterns', 'headers'];

describe.each(optionNames)('%s', (name) => {
  const [first, second, third] = samples(name);
  const isSwitch = specOf(name).type === 'switch';
  const wrap = (text: string): unknown => {
    const { type } = specOf(name);
    if (type === 'switch') return text === 'true';
    if (type === 'integer' || type === 'number') return Number(text);
    return listTypes.includes(type) ? [text] : text;
  };

  test('is read from its flag, its variable and its profile key, in that order', () => {
    const flag = isSwitch ? [flagOf(name)] : [flagOf(name), first];
    const variable = isSwitch ? 'false' : second;
    const inProfile = isSwitch ? 'true' : third;
    const profile = join(folder, `${name}.yaml`);
    writeFileSync(profile, `${profileKeyOf(name)}: ${isSwitch ? inProfile : JSON.stringify(wrap(third))}\n`);
    const environment = environmentFor(name);
    const told = (flags: readonly string[], more: Record<string, string> = {}) =>
      readSettings(parsedFlags(flags), { ...environment, ...more });

    expect(told(flag).settings[name]).toEqual(wrap(isSwitch ? 'true' : first));
    expect(told([], { [variableOf(name)]: variable }).settings[name]).toEqual(wrap(variable));
    expect(told(flag, { [variableOf(name)]: variable }).settings[name]).toEqual(
      wrap(isSwitch ? 'true' : first),
    );
    if (specOf(name).outsideProfile) return;
    const withProfile = { CONFORMANCE_PROFILE: profile };
    const bare = Object.fromEntries(Object.entries(environment).filter(([key]) => key !== variableOf(name)));
    expect(readSettings({}, { ...bare, ...withProfile }).settings[name]).toEqual(wrap(inProfile));
    expect(told([], { ...withProfile, [variableOf(name)]: variable }).settings[name]).toEqual(wrap(variable));
    expect(told(flag, withProfile).sources.get(name)).toBe('flag');
  });

  test('has a description and a place in the help', () => {
    expect(createProgram().command.helpInformation()).toContain(flagOf(name));
    expect(specOf(name).says).toMatch(/^[a-zA-Z`].*[^.]$/);
  });
});

test('an empty variable is not set', () => {
  expect(readSettings({}, { CONFORMANCE_BASE_URL: ' ', CONFORMANCE_SEED: '' }).settings).toEqual({});
});

test('names follow from one another', () => {
  expect([
    flagOf('selfServiceProfileId'),
    variableOf('selfServiceProfileId'),
    profileKeyOf('selfServiceProfileId'),
  ]).toEqual(['--self-service-profile-id', 'CONFORMANCE_SELF_SERVICE_PROFILE_ID', 'self_service_profile_id']);
  expect(flagOf('http2')).toBe('--http2');
});
