/** The source of a regular expression that matches only this text, like `RegExp.escape` in newer versions of Node. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
