/** Shorter texts are no secret worth the name, and replacing them would garble what is recorded. */
const shortestSecret = 6;

/**
 * Everything of a run that may stand in no output, with what stands in its place. JSON Web Tokens are found by their shape,
 * known or not: a run has thousands of them, and one that the target lets slip is nobody's business either.
 */
export class Secrets {
  readonly #texts = new Map<string, string>();
  /** Characters of the shortest of them. */
  #shortest = Number.POSITIVE_INFINITY;

  /** Adds a secret, which is recorded as the placeholder: `$CLIENT_SECRET`. */
  add(secret: string, placeholder: string): void {
    if (secret.length < shortestSecret) return;
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      this.#texts.set(form, placeholder);
      this.#shortest = Math.min(this.#shortest, form.length);
    }
  }

  /** Adds a token, which is recorded as `$TOKEN`. */
  addToken(token: string): void {
    if (!/^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(token)) this.add(token, '$TOKEN');
  }

  /** The text with each known secret replaced by its placeholder. Linear in the text, whatever it holds. */
  scrub(text: string): string {
    let scrubbed = text;
    if (text.length >= this.#shortest)
      for (const [secret, placeholder] of this.#texts) {
        if (scrubbed.includes(secret)) scrubbed = scrubbed.replaceAll(secret, () => placeholder);
      }
    return scrubTokens(scrubbed);
  }
}

/** By hand, as a regular expression would run out of stack on a hostile text of megabytes. */
function scrubTokens(text: string): string {
  let scrubbed = '';
  let kept = 0;
  for (let start = text.indexOf('eyJ'); start >= 0; ) {
    const first = endOfPart(text, start);
    const second = text[first] === '.' ? endOfPart(text, first + 1) : first;
    const end = second > first + 1 && text[second] === '.' ? endOfPart(text, second + 1) : second;
    let next = first;
    if (end > second) {
      scrubbed += `${text.slice(kept, start)}$TOKEN`;
      kept = end;
      next = end;
    }
    start = text.indexOf('eyJ', next);
  }
  return kept === 0 ? text : scrubbed + text.slice(kept);
}

/** Where the base64url text that begins here ends. */
function endOfPart(text: string, start: number): number {
  let end = start;
  while (end < text.length && isBase64Url(text.charCodeAt(end))) end++;
  return end;
}

function isBase64Url(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isLetter || isDigit || code === 0x2d || code === 0x5f;
}
