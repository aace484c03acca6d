import type { DataSet } from '../lib/contract/data-set.ts';
import { readDocument, shippedFile, shippedSchema } from '../lib/contract/document.ts';
import { createParser } from '../lib/contract/schema-parser.ts';

type Strings = readonly string[];
type Messages = DataSet['phone_templates'];

/** The lists of `fixtures/inputs.yaml`, which says what is special about each of them. */
interface Inputs {
  readonly additional_members: readonly (readonly [name: string, value: unknown])[];
  readonly additional_form_fields: Strings;
  readonly ordinary_messages: readonly Messages[];
  readonly consecutive_messages: readonly Messages[];
  readonly invalid_updates: readonly { readonly because: string; readonly json: object }[];
  readonly values_of_other_types: readonly (readonly unknown[])[];
  readonly json_extensions: Readonly<Record<string, string>>;
  readonly unclosed_templates: Strings;
  readonly further_unclosed_templates: readonly Strings[];
  readonly malformed_actions: readonly unknown[];
  readonly further_malformed_actions: readonly unknown[];
  readonly trusted_headers: readonly (readonly [name: string, value: string])[];
  readonly short_ids: Strings;
  readonly encoded_ids: Strings;
  readonly similar_to_encoded_ids: Strings;
  readonly cut_ids: readonly Strings[];
  readonly similar_action_ids: Strings;
  readonly creation_times: Strings;
  readonly similar_filter_values: Strings;
  readonly unusual_filter_values: Strings;
  readonly other_words: Readonly<Record<'language' | 'page', Strings>>;
}

const parseInputs = createParser<Inputs>('inputs.yaml', () => shippedSchema('fixtures/inputs.schema.json'));

/** Inputs that servers commonly treat wrongly. */
export const inputs = parseInputs(readDocument(shippedFile('fixtures/inputs.yaml')));
