import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flagOf, type OptionName, optionNames, options, profileKeyOf, variableOf } from './options.ts';
import { createProgram } from './program.ts';
import { readSettings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'options-'));

/** Three valid values of an option as text, the second unlike the others unless it has only two. */
function samples(name: OptionName): [string, string, string] {
  const { schema, placeholder } = options[name].type;
  const at = (letter: string) => join(folder, `${name}-${letter}`);
  const files: [string, string, string] = [at('a'), at('b'), at('c')];
  if (Array.isArray(schema.enum)) return [schema.enum[0], schema.enum.at(-1), schema.enum[0]];
  if (placeholder === 'FILE' || placeholder === 'DIR') {
    for (const each of files) writeFileSync(each, name === 'profile' ? '{}' : 'x');
    return files;
  }
  if (placeholder === 'URL') return ['http://a.example/api/v2', 'https://b.example', 'http://[::1]:8080/x'];
  if (schema.type === 'integer' || schema.type === 'number') return ['11', '12', '13'];
  if (placeholder === 'i/n') return ['1/2', '2/2', '1/3'];
  if (name === 'header') return ['X-A: 1', 'X-B: 2', 'X-C: 3'];
  return ['one', 'two', 'three'];
}

/** A value for the option that another one needs. */
function valueFor(name: OptionName): string {
  return options[name].type.takes === 'switch'
    ? 'true'
    : name === 'clientSecret'
      ? 's3cret'
      : samples(name)[0];
}

/** The variables of all that the option needs. */
function environmentFor(name: OptionName): Record<string, string> {
  // With a base URL, data are for a control endpoint.
  const needed = new Set<OptionName>(name === 'baseUrl' || name === 'data' ? [] : ['baseUrl']);
  // A set also iterates over what is added meanwhile.
  for (const need of options[name].needs ?? []) needed.add(need);
  for (const each of needed) for (const need of options[each].needs ?? []) needed.add(need);
  return Object.fromEntries(
    [...needed].filter((each) => each !== name).map((each) => [variableOf(each), valueFor(each)]),
  );
}

function parsedFlags(args: readonly string[]): Record<string, unknown> {
  const command = createProgram();
  command.action(() => {});
  command.parse([...args], { from: 'user' });
  return command.opts();
}

describe.each(optionNames)('%s', (name) => {
  const [first, second, third] = samples(name);
  const { takes, schema } = options[name].type;
  const isSwitch = takes === 'switch';
  const wrap = (text: string): unknown => {
    if (isSwitch) return text === 'true';
    if (schema.type === 'integer' || schema.type === 'number') return Number(text);
    return takes === 'list' ? [text] : text;
  };

  test('is read from its flag, its variable and its profile key, in that order', () => {
    const flag = isSwitch ? [flagOf(name)] : [flagOf(name), first];
    const variable = isSwitch ? 'false' : second;
    const inProfile = isSwitch ? 'true' : third;
    const profile = join(folder, `${name}.yaml`);
    writeFileSync(profile, `${profileKeyOf(name)}: ${isSwitch ? inProfile : JSON.stringify(wrap(third))}\n`);
    const environment = environmentFor(name);
    const read = (flags: readonly string[], more: Record<string, string> = {}) =>
      readSettings(parsedFlags(flags), { ...environment, ...more });

    expect(read(flag).settings[name]).toEqual(wrap(isSwitch ? 'true' : first));
    expect(read([], { [variableOf(name)]: variable }).settings[name]).toEqual(wrap(variable));
    expect(read(flag, { [variableOf(name)]: variable }).settings[name]).toEqual(
      wrap(isSwitch ? 'true' : first),
    );
    if (options[name].notInProfile) return;
    const withProfile = { CONFORMANCE_PROFILE: profile };
    const bare = Object.fromEntries(Object.entries(environment).filter(([key]) => key !== variableOf(name)));
    expect(readSettings({}, { ...bare, ...withProfile }).settings[name]).toEqual(wrap(inProfile));
    expect(read([], { ...withProfile, [variableOf(name)]: variable }).settings[name]).toEqual(wrap(variable));
    expect(read(flag, withProfile).origins?.get(name)?.label).toBe(flagOf(name));
  });

  test('has a description and a place in the help', () => {
    expect(createProgram().helpInformation()).toContain(flagOf(name));
    expect(options[name].help).toMatch(/^[a-zA-Z`].*[^.]$/);
  });
});

test('an empty variable is not set', () => {
  expect(readSettings({}, { CONFORMANCE_TOKEN: ' ', CONFORMANCE_SEED: '' }).settings).toEqual({});
});

test('names follow from one another', () => {
  expect([
    flagOf('selfServiceProfileId'),
    variableOf('selfServiceProfileId'),
    profileKeyOf('selfServiceProfileId'),
  ]).toEqual(['--self-service-profile-id', 'CONFORMANCE_SELF_SERVICE_PROFILE_ID', 'self_service_profile_id']);
  expect(flagOf('http2')).toBe('--http2');
});
