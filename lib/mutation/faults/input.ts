import { type BodyRules, override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asJson, onPut, type Where } from './where.ts';

/** Ways in which an update's body is read wrongly. */

/** Messages that may stand in for missing ones. */
export const defaults = { enrollment_message: '{{code}}', verification_message: '{{code}}' };

/** Changes how the update's body is read. */
export const reads = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: BodyRules) => Partial<BodyRules>,
): Fault => ({ name, requirement, description, rules: (rules) => override(rules, 'body', change) });

/** Changes the value of the body before it is judged. */
export const takes = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  change: (value: unknown) => unknown,
): Fault =>
  reads(name, requirement, description, (usual) => ({
    value(value, mediaType, call) {
      const given = usual.value(value, mediaType, call);
      return onPut(call) && where(call) ? change(given) : given;
    },
  }));

/** A refusal of the body has another status where this holds. */
export const refusedWith = (
  name: string,
  requirement: string,
  description: string,
  status: number,
  told: RegExp,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      refusal(refusal, call) {
        const given = usual.refusal(refusal, call);
        return onPut(call) && asJson(call) && given.status === 400 && told.test(given.message)
          ? { ...given, status }
          : given;
      },
    })),
});

/** True for what a lax service makes a text of. */
export const isPrimitive = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean';
