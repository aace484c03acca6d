/** The source of a regular expression that matches this text alone, as `RegExp.escape` of newer versions of Node. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
