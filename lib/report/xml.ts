/** Code points that XML 1.0 cannot contain in any form (section 2.2), among them halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids control characters
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Surrogate}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for the content and the attributes of XML and HTML. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Text for XML content: markup escaped, what XML cannot contain replaced by U+FFFD. */
export function escapeXml(text: string): string {
  return escapeMarkup(text.replace(forbidden, '\ufffd'));
}

/** The same for an attribute's value, in which readers would turn line breaks and tabs into spaces. */
export function xmlAttribute(text: string): string {
  return escapeXml(text).replace(/[\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
