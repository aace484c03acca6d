import { setTimeout as wait } from 'node:timers/promises';
import { isSuccess } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import type { Contract, Operation } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import type { Target } from './connect.ts';

type Messages = DataSet['phone_templates'];

/** Attempts to put the messages back. The pauses between them grow by a second each. */
const attempts = 5;

/**
 * Puts the phone messages back through the API, if the run has updated them. If they are not known, it sends the contract's
 * defaults, so that no text of the suite stays.
 * @param messages what the tenant contained; undefined if that is not known
 * @returns a note for the user, if the defaults were sent
 * @throws Error if the target does not accept the messages
 */
export async function restoreMessages(
  { contract, tokens, driver }: Target,
  messages: Messages | undefined,
): Promise<readonly string[]> {
  const operation = messageUpdate(contract);
  if (operation === undefined || !driver.changed.has(operation.id)) return [];
  const { enrollment_message, verification_message } = messages ?? defaultMessages(contract, operation);
  const authorization = await tokens.permitting(operation.scopes);
  if (authorization === undefined)
    throw new Error('no token permits the update of the phone messages, or it has expired');
  for (let attempt = 1; ; attempt += 1) {
    const { response, failure } = await driver.call({
      operation,
      method: operation.method,
      target: operation.path,
      authorization,
      body: {
        mediaType: 'application/json',
        bytes: Buffer.from(JSON.stringify({ enrollment_message, verification_message })),
      },
    });
    if (response !== undefined && isSuccess(response.status)) break;
    const mayPass = response
      ? response.status >= 500 || response.status === 409
      : /refused|closed/.test(failure?.kind ?? '');
    if (!mayPass || attempt === attempts)
      throw new Error(
        response === undefined
          ? (failure?.message ?? 'no response')
          : `the update of the phone messages was answered with ${response.status}`,
      );
    await wait(1_000 * attempt);
  }
  return messages === undefined
    ? ['the phone messages were set to their defaults; to restore others, add phone_templates to a profile']
    : [];
}

/** The operation that replaces the phone messages, if the contract has one. */
export function messageUpdate(contract: Contract): Operation | undefined {
  return contract.operations.find(
    (operation) => operation.method === 'PUT' && propertiesOf(contract, operation).enrollment_message,
  );
}

/** The defaults of section 2.1, from the schema of the update's body. */
export function defaultMessages(contract: Contract, operation: Operation): Messages {
  const properties = propertiesOf(contract, operation);
  const defaultOf = (name: keyof Messages) => String(properties[name]?.default ?? '{{code}}');
  return {
    enrollment_message: defaultOf('enrollment_message'),
    verification_message: defaultOf('verification_message'),
  };
}

/** The schemas of the members of the operation's JSON body, by name. */
function propertiesOf(contract: Contract, { body }: Operation): Readonly<Record<string, Schema>> {
  const schema = body?.content.find(({ mediaType }) => mediaType === 'application/json')?.schema;
  return (schema && contract.resolve(schema).properties) ?? {};
}
