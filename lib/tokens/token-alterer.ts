import type { Authorization } from '../client/exchange.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Clock } from './clock.ts';
import { damaged, type InvalidSignature } from './jwt.ts';
import { generateKey } from './signing-key.ts';
import { createTokenMinter, encodePart, type TokenMinter } from './token-minter.ts';

/** A valid token, and others with its claims whose signature is invalid. */
export interface AlterableToken {
  readonly claims: JsonObject;
  valid(): Promise<Authorization>;
  /** @param header members that replace those of the valid token's header; undefined removes one */
  altered(signature: InvalidSignature, header?: JsonObject): Promise<Authorization>;
}

/**
 * A function that makes tokens with invalid signatures out of a valid one, without the key that signed it: `changed-payload`
 * changes its `sub`. The function returns undefined for a token that is not a JSON Web Token.
 */
export function createTokenAlterer(clock: Clock) {
  /** Minters with keys that nobody trusts, by algorithm. */
  const minters = new Map<unknown, Promise<TokenMinter>>();
  const newMinter = async (alg: unknown): Promise<TokenMinter> =>
    createTokenMinter({ signingKey: await generateKey(alg), audience: '', clock });
  return ({ value, header, claims }: Authorization): AlterableToken | undefined => {
    if (header === undefined || claims === undefined) return undefined;
    const valid = { value, header, claims };
    const [encodedHeader, payload, validSignature] = value.split('.');
    return {
      claims,
      valid: async () => valid,
      async altered(signature, changes) {
        const rest = damaged[signature]?.(validSignature ?? '');
        if (rest !== undefined) return { ...valid, value: `${encodedHeader}.${payload}.${rest}`, signature };
        if (signature === 'changed-payload') {
          const changed = { ...claims, sub: 'someone-else' };
          const text = `${encodedHeader}.${encodePart(changed)}.${validSignature}`;
          return { header, claims: changed, signature, value: text };
        }
        const { alg, typ, kid, ...others } = header;
        const minter = minters.get(alg) ?? newMinter(alg);
        minters.set(alg, minter);
        return (await minter).sign(claims, { ...others, typ, kid, ...changes }, signature);
      },
    };
  };
}
