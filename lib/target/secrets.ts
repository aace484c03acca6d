/** Shorter texts are no secret worth the name, and replacing them would garble what is recorded. */
const shortestSecret = 6;

/**
 * Everything of a run that may stand in no output, with what stands in its place. JSON Web Tokens are kept apart, since
 * there are thousands of them: they are found by their shape and looked up, not searched for one by one.
 */
export class Secrets {
  readonly #texts = new Map<string, string>();
  readonly #tokens = new Set<string>();

  /** Adds a secret, which is recorded as the placeholder: `$CLIENT_SECRET`. */
  add(secret: string, placeholder: string): void {
    if (secret.length < shortestSecret) return;
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      this.#texts.set(form, placeholder);
    }
  }

  /** Adds a token, which is recorded as `$TOKEN`. */
  addToken(token: string): void {
    if (token.startsWith('eyJ') && token.split('.').length === 3) this.#tokens.add(token);
    else this.add(token, '$TOKEN');
  }

  /** The text with each known secret replaced by its placeholder. Linear in the text, whatever it holds. */
  scrub(text: string): string {
    let scrubbed = text;
    for (const [secret, placeholder] of this.#texts) {
      if (scrubbed.includes(secret)) scrubbed = scrubbed.replaceAll(secret, () => placeholder);
    }
    if (this.#tokens.size === 0 || !scrubbed.includes('eyJ')) return scrubbed;
    return scrubbed.replaceAll(/[\w.-]{20,}/g, (run) => this.#scrubTokens(run));
  }

  #scrubTokens(run: string): string {
    const parts = run.split('.');
    const kept: string[] = [];
    for (let index = 0; index < parts.length; index++) {
      const candidate = parts.slice(index, index + 3).join('.');
      if (this.#tokens.has(candidate)) {
        kept.push('$TOKEN');
        index += 2;
      } else {
        kept.push(parts[index] ?? '');
      }
    }
    return kept.join('.');
  }
}
