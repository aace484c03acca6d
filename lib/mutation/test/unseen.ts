import type { Mutant } from './mutants.ts';

/** Mutants that no conforming suite could see. */
interface Unseen {
  /** Matches the requirement's id and the fault's name, joined by a blank. */
  readonly fault: RegExp;
  /** Matches one of the classes. */
  readonly class: RegExp;
  readonly reason: string;
}

/** Kinds of mutants that no conforming suite could see. The report shows the entries that match no survivor. */
export const unseen: readonly Unseen[] = [
  {
    fault: /^(5\.[1-5]|7)\//,
    class: /^(extra member: (?!none)|query \w+: other$|media type: (?!application\/(json|x-www)))/,
    reason:
      'The request is refused for its input too, and no sentence says which of 400, 401 and 403 comes first.',
  },
  {
    fault: /^5\/correlation/,
    class: /^(extra member: (?!none)|media type: (?!application\/(json|x-www))|scopes: none$)/,
    reason: 'The request is refused, and no sentence says that the logs show it.',
  },
  {
    fault: /^(4\.1|8\/payload)/,
    class: /^media type: (?!application\/(json|x-www))/,
    reason: 'The request is refused for its media type too.',
  },
  {
    fault: /^(4\.1\/(?!refused)|8\/payload-accepted)/,
    class: /^extra member: (?!none)/,
    reason: 'The request is refused for its further member too.',
  },
  {
    fault: /^(4\.\d|8\/payload)/,
    class: /^scopes: none$/,
    reason: 'The request is refused for its token too.',
  },
  {
    fault: /^(4\.2\/take-full-pages|8\/checkpoint-(next-absent|walk-ends)) /,
    class:
      /^(filters: (?!none)|query (authentication_flow|feature_flag_id|status): (?!absent)|percent-encoding: (?!none))/,
    reason:
      'The listing is filtered. A server may filter after paginating, so a page may have fewer items, and a next that leads to none.',
  },
  {
    fault: /^8\/checkpoint-(opaque|own-life) /,
    class: /^(history: repeated|memory: URL among the last seen)$/,
    reason: 'The request uses a checkpoint a second time, which a server may refuse.',
  },
  {
    fault: / refused-for-all-operations$/,
    class:
      /^(media type|charset|framing|body size|text|order of members|JSON notation|extra member|query (page|per_page)): /,
    reason: 'The fault needs requests to two operations, and only one operation has requests of the class.',
  },
  {
    fault: / id-of-last-request$/,
    class: /^correlation ID: absent$/,
    reason: 'The request has no correlation ID that could be taken for the one of another request.',
  },
  {
    fault: / deletion-restarts-walks$/,
    class: /^(query \w+|filters|page): /,
    reason: 'The fault begins with a deletion, and only a listing is in the class.',
  },
  {
    fault: / take-of-the-first-page$/,
    class: /^query take: (absent|minimum|maximum)$/,
    reason: 'Both pages have the same size, so that it does not matter whose it is.',
  },
  {
    fault: / checkpoint-life-counts-from-the-walk$/,
    class: /^clock: real time$/,
    reason: 'No run takes 24 hours, so that no walk at the real time outlives its first checkpoint.',
  },
  {
    fault: /^(2\.1|4\.1|8\/payload)/,
    class: /^memory: URL not seen before$/,
    reason:
      'The URL of the update is always the same. Only the first request to a service could show the fault: a seed need not empty what it remembers.',
  },
  {
    fault: /^4\.1\/\S*template-message/,
    class: /^text: (beyond the BMP|line feed|over 300 characters)$/,
    reason: 'A server may refuse the text for another reason, with another message.',
  },
  {
    fault: /^(2\.1|4\.1|5|7|8)\//,
    class: /^text: empty$/,
    reason: 'No sentence says that an empty message is accepted.',
  },
];

/** The reason why no conforming suite could see the mutant; undefined if one could. */
export function reasonOf({ fault, classes }: Pick<Mutant, 'fault' | 'classes'>): string | undefined {
  const name = `${fault.requirement} ${fault.name}`;
  return unseen.find((each) => each.fault.test(name) && classes.some((one) => each.class.test(one)))?.reason;
}
