import type { Authorization } from '../client/exchange.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Clock } from './clock.ts';
import type { InvalidSignature } from './jwt.ts';
import { generateKey } from './signing-key.ts';
import { createTokenMinter, encodePart, type TokenMinter } from './token-minter.ts';

/** A valid token, and others with its claims whose signature is invalid. */
export interface AlterableToken {
  readonly claims: JsonObject;
  valid(): Promise<Authorization>;
  /** @param header members that replace those of the valid token's header; undefined removes one */
  altered(signature: InvalidSignature, header?: JsonObject): Promise<Authorization>;
}

/** Makes tokens with invalid signatures out of valid ones, without the key that signed them. */
export class TokenAlterer {
  readonly #clock: Clock;
  /** Minters with keys that nobody trusts, by algorithm. */
  readonly #minters = new Map<unknown, Promise<TokenMinter>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The valid token, which can be altered: `changed-payload` changes its `sub`. Undefined if it is not a JSON Web Token. */
  alterable({ value, header, claims }: Authorization): AlterableToken | undefined {
    if (header === undefined || claims === undefined) return undefined;
    const valid = { value, header, claims };
    return {
      claims,
      valid: async () => valid,
      altered: (signature, changes) => this.#altered(valid, signature, changes),
    };
  }

  async #altered(
    valid: Required<Pick<Authorization, 'value' | 'header' | 'claims'>>,
    signature: InvalidSignature,
    changes?: JsonObject,
  ): Promise<Authorization> {
    const { value, header, claims } = valid;
    const [encodedHeader, payload, validSignature] = value.split('.');
    if (signature === 'missing') return { ...valid, value: `${encodedHeader}.${payload}.`, signature };
    if (signature === 'further-part') return { ...valid, value: `${value}.AAAA`, signature };
    if (signature === 'changed-payload') {
      const changed = { ...claims, sub: 'someone-else' };
      const text = `${encodedHeader}.${encodePart(changed)}.${validSignature}`;
      return { header, claims: changed, signature, value: text };
    }
    const { alg, typ, kid, ...others } = header;
    return (await this.#minter(alg)).sign(claims, { ...others, typ, kid, ...changes }, signature);
  }

  #minter(alg: unknown): Promise<TokenMinter> {
    const known = this.#minters.get(alg);
    if (known !== undefined) return known;
    const key = generateKey(alg).export({ format: 'jwk' });
    const signingKey = alg === 'PS256' ? { ...key, alg } : key;
    const minter = createTokenMinter({ signingKey, audience: '', clock: this.#clock });
    this.#minters.set(alg, minter);
    return minter;
  }
}
