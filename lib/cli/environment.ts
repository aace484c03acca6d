import type { Environment } from '../client/proxy.ts';
import { UsageError } from './usage.ts';

/**
 * The text, or for `env:NAME` the value of that variable.
 * @throws UsageError where the variable is not set or empty
 */
export function expandSecret(text: string, label: string, environment: Environment): string {
  const [, name] = /^env:(\w+)$/.exec(text) ?? [];
  if (name === undefined) return text;
  const value = environment[name];
  if (value === undefined || value === '')
    throw new UsageError(`${label}: the environment variable ${name} is not set`);
  return value;
}
