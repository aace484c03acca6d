import type { ConnectedTarget } from '../runner/connect.ts';
import type { PhoneTemplates } from './profile.ts';
import { oneLine } from './usage.ts';

/** The operation that a profile's messages are put back with (section 4.1). */
const updateOperation = 'put_factor_phone_templates';

/** Puts the phone messages back as the profile says they were. What comes back is why that failed. */
export async function restoreTemplates(
  target: ConnectedTarget,
  templates: PhoneTemplates,
): Promise<string | undefined> {
  const operation = target.contract.operations.find(({ id }) => id === updateOperation);
  // Where the tenant is filled with data, all of it is put back, these too.
  if (operation === undefined || target.capabilities.has('seed')) return undefined;
  const failed = (why: string) =>
    `the phone templates could not be put back (${why}): the tenant still has the suite's`;
  try {
    const authorization = await target.tokens.permitting(operation.scopes);
    if (authorization === undefined) return undefined;
    const { response, failure } = await target.driver.call({
      operation,
      method: operation.method,
      target: operation.path,
      authorization,
      body: { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(templates)) },
    });
    if (response === undefined) return failed(failure?.message ?? 'no answer');
    return response.status < 300 ? undefined : failed(`answer ${response.status}`);
  } catch (error) {
    return failed(oneLine(error));
  }
}
