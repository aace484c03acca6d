/** How a body of a media type is encoded and decoded. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'xml' | 'text' | 'binary';

export const formType = 'application/x-www-form-urlencoded';

/** The media type in lower case without parameters: `application/json`. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

/** How bodies of this media type are encoded: as JSON for a range that includes it. */
export function bodyKindOf(mediaType: string): BodyKind {
  if (/[/+]json$/.test(mediaType) || mediaType === '*/*' || mediaType === 'application/*') return 'json';
  if (mediaType === formType) return 'form';
  if (mediaType.startsWith('multipart/')) return 'multipart';
  if (/[/+]xml$/.test(mediaType)) return 'xml';
  return mediaType.startsWith('text/') ? 'text' : 'binary';
}

/** The concrete media type to send for a declared one, which may be a range. */
export function concrete(mediaType: string): string {
  if (!mediaType.includes('*')) return mediaType;
  return bodyKindOf(mediaType) === 'json' ? 'application/json' : mediaType.replace('*', 'octet-stream');
}

/** True if the declared media type or range covers this one. */
export function covers(declared: string, mediaType: string): boolean {
  const [type, subtype] = declared.split('/');
  return declared === mediaType || type === '*' || (subtype === '*' && mediaType.startsWith(`${type}/`));
}
