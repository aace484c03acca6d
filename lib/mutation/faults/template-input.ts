import { isObject, type JsonObject } from '../../contract/json.ts';
import type { SchemaError } from '../../contract/schema.ts';
import type { Fault } from '../fault.ts';
import { defaults, isPrimitive, reads, refusedWith, takes } from './input.ts';
import { asForm, asJson, type Where } from './where.ts';

/** Sections 2.1 and 4.1: the fields of an update. */

/** Changes one field before it is judged. */
const takesField = (
  field: string,
  name: string,
  description: string,
  change: (value: unknown) => unknown,
): Fault =>
  takes(
    name,
    `4.1/${field === 'enrollment_message' ? 'enrollment' : 'verification'}-type`,
    description,
    asJson,
    (value) => (isObject(value) && field in value ? { ...value, [field]: change(value[field]) } : value),
  );

/** Fills in what is missing. */
const fills = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  missing: JsonObject,
): Fault =>
  takes(name, requirement, description, where, (value) =>
    isObject(value) && Object.keys(value).length > 0 ? { ...missing, ...value } : value,
  );

/** Fields beside the two that are dropped before the body is judged. */
const drops = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  dropped: (name: string, value: unknown) => boolean,
): Fault =>
  takes(name, requirement, description, where, (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).filter(
            ([each, field]) => Object.hasOwn(defaults, each) || !dropped(each, field),
          ),
        )
      : value,
  );

const without = (keyword: string) => (found: readonly SchemaError[]) =>
  found.filter((error) => error.keyword !== keyword);

const additional: readonly Fault[] = [
  drops(
    'additional-fields-dropped',
    '2.1/additional-field',
    'Fields that the update does not have are left out silently.',
    asJson,
    () => true,
  ),
  drops(
    'additional-null-dropped',
    '2.1/additional-field',
    'Additional fields of null are left out silently.',
    asJson,
    (_name, value) => value === null,
  ),
  drops(
    'additional-numbers-dropped',
    '2.1/additional-field',
    'Additional fields of another type than string are left out silently.',
    asJson,
    (_name, value) => typeof value === 'number',
  ),
  drops(
    'field-names-in-any-case',
    '2.1/additional-field',
    'A field in another case counts as the field itself.',
    asJson,
    (name) => name.toLowerCase() in defaults,
  ),
  drops(
    'inherited-names-dropped',
    '2.1/additional-field',
    'A field that every object inherits is not seen.',
    asJson,
    (name) => name in {},
  ),
  drops(
    'empty-name-dropped',
    '2.1/additional-field',
    'A field with an empty name is not seen.',
    asJson,
    (name) => name === '',
  ),
  reads(
    'additional-properties-allowed',
    '2.1/additional-field',
    'The schema of JSON allows additional properties.',
    (usual) => ({
      violations: (found, value, call) =>
        usual.violations(asJson(call) ? without('additionalProperties')(found) : found, value, call),
    }),
  ),
  drops(
    'form-fields-dropped',
    '2.1/additional-field-form',
    'Fields of a form that the update does not have are left out silently.',
    asForm,
    () => true,
  ),
  drops(
    'form-names-in-any-case',
    '2.1/additional-field-form',
    'A field of a form in another case counts as the field itself.',
    asForm,
    (name) => name.toLowerCase() in defaults,
  ),
  drops(
    'form-short-names-dropped',
    '2.1/additional-field-form',
    'A form may carry what a client library adds, such as code.',
    asForm,
    (name) => name === 'code',
  ),
];

const required: readonly Fault[] = [
  fills(
    'enrollment-defaulted',
    '4.1/enrollment-required',
    'A missing enrollment_message is the default one.',
    asJson,
    { enrollment_message: defaults.enrollment_message },
  ),
  fills(
    'verification-defaulted',
    '4.1/verification-required',
    'A missing verification_message is the default one.',
    asJson,
    { verification_message: defaults.verification_message },
  ),
  takes(
    'verification-from-enrollment',
    '4.1/verification-required',
    'A missing verification_message is the enrollment_message.',
    asJson,
    (value) =>
      isObject(value) && value.enrollment_message !== undefined
        ? { verification_message: value.enrollment_message, ...value }
        : value,
  ),
  fills('form-defaulted', '4.1/form-required', 'What a form lacks is the default message.', asForm, defaults),
  fills(
    'form-verification-defaulted',
    '4.1/form-required',
    'The second field of a form may be missing.',
    asForm,
    { verification_message: '' },
  ),
  refusedWith(
    'missing-field-422',
    '4.1/enrollment-required',
    'A missing enrollment_message is answered 422.',
    422,
    /required property 'enrollment_message'/,
  ),
  refusedWith(
    'missing-verification-500',
    '4.1/verification-required',
    'A missing verification_message is answered 500.',
    500,
    /required property 'verification_message'/,
  ),
];

const types: readonly Fault[] = [
  takesField(
    'enrollment_message',
    'enrollment-null-to-text',
    'null becomes the text null in enrollment_message.',
    (value) => (value === null ? 'null' : value),
  ),
  takesField(
    'enrollment_message',
    'enrollment-null-to-empty',
    'null becomes an empty enrollment_message.',
    (value) => value ?? '',
  ),
  takesField(
    'enrollment_message',
    'enrollment-coerced',
    'Numbers and booleans become the text of enrollment_message.',
    (value) => (isPrimitive(value) ? String(value) : value),
  ),
  takesField(
    'enrollment_message',
    'enrollment-falsy-defaulted',
    'A falsy enrollment_message counts as absent and defaults.',
    (value) => value || 'x',
  ),
  takesField(
    'enrollment_message',
    'enrollment-array-of-one',
    'An array of one string is taken for enrollment_message.',
    (value) => (Array.isArray(value) && value.length === 1 ? String(value[0]) : value),
  ),
  takesField(
    'verification_message',
    'verification-coerced',
    'Numbers and booleans become the text of verification_message.',
    (value) => (isPrimitive(value) ? String(value) : value),
  ),
  takesField(
    'verification_message',
    'verification-null-to-text',
    'null becomes the text null in verification_message.',
    (value) => (value === null ? 'null' : value),
  ),
  takesField(
    'verification_message',
    'verification-object-to-text',
    'An object becomes a text in verification_message.',
    (value) => (isObject(value) ? JSON.stringify(value) : value),
  ),
  takesField(
    'verification_message',
    'verification-array-joined',
    'An array is joined to a verification_message.',
    (value) => (Array.isArray(value) ? value.join() : value),
  ),
  takesField(
    'verification_message',
    'verification-zero',
    'A verification_message of 0 becomes a text.',
    (value) => (value === 0 ? '0' : value),
  ),
  refusedWith(
    'wrong-type-422',
    '4.1/enrollment-type',
    'A message that is no string is answered 422.',
    422,
    /enrollment_message must be string/,
  ),
];

/** Faults of sections 2.1 and 4.1 about the fields. */
export const templateInputFaults: readonly Fault[] = [...additional, ...required, ...types];
