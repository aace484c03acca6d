/**
 * The part of the JUnit XML format that reports use, for tests: elements, attributes and texts as in Jenkins' schema (junit-10.xsd
 * of its xUnit plugin), with which the schemas of Surefire and other readers agree.
 */

interface Element {
  readonly children: readonly string[];
  /** True if it may contain text. */
  readonly mixed?: boolean;
  /** Required attributes begin with `*`. */
  readonly attributes: readonly string[];
}

const result: Element = { children: [], mixed: true, attributes: ['type', 'message'] };
const output: Element = { children: [], mixed: true, attributes: [] };

const elements: Readonly<Record<string, Element>> = {
  '': { children: ['testsuites', 'testsuite'], attributes: [] },
  testsuites: { children: ['testsuite'], attributes: ['name', 'time', 'tests', 'failures', 'errors'] },
  testsuite: {
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
    attributes: [
      ...['*name', '*tests', '*failures', '*errors', 'group', 'time', 'skipped', 'timestamp', 'hostname'],
      ...['id', 'package', 'file', 'log', 'url'],
    ],
  },
  properties: { children: ['property'], attributes: [] },
  property: { children: [], attributes: ['*name', '*value'] },
  testcase: {
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    attributes: ['*name', 'time', 'classname', 'group'],
  },
  failure: result,
  error: result,
  skipped: result,
  'system-out': output,
  'system-err': output,
};

const counts: ReadonlySet<string> = new Set(['tests', 'failures', 'errors', 'skipped']);

/** Text and attribute values in XML: no markup, and `&` only in references. */
const plain = /^(?:[^<&]|&(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);)*$/i;

/** The document's violations, one line each. */
export function brokenJunit(xml: string): readonly string[] {
  const broken: string[] = [];
  const path: string[] = [''];
  const tags = /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g;
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  if (body === xml) broken.push('no XML declaration');
  let end = 0;
  for (const tag of body.matchAll(tags)) {
    const [whole, close, name = '', given = '', empty] = tag;
    const within = path.at(-1) ?? '';
    const text = body.slice(end, tag.index);
    if (!plain.test(text)) broken.push(`text in ${within} is not XML`);
    if (text.trim() !== '' && elements[within]?.mixed !== true) broken.push(`text in ${within}`);
    end = tag.index + whole.length;
    if (close === '/') {
      if (path.pop() !== name) broken.push(`</${name}> closes ${within}`);
      continue;
    }
    if (elements[within]?.children.includes(name) !== true) broken.push(`${name} in ${within}`);
    broken.push(...brokenAttributes(name, given));
    if (empty !== '/') path.push(name);
  }
  if (path.length !== 1 || body.slice(end).trim() !== '') broken.push('the document does not end');
  return broken;
}

function brokenAttributes(element: string, given: string): readonly string[] {
  const known = elements[element]?.attributes ?? [];
  const found = [...given.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  const names = found.map(({ name }) => name);
  const needed = known.filter((each) => each.startsWith('*')).map((each) => each.slice(1));
  return [
    ...needed.filter((name) => !names.includes(name)).map((name) => `${element} without ${name}`),
    ...found.flatMap(({ name, value }, index) => {
      const at = `${element} ${name}="${value}"`;
      if (!known.includes(name) && !known.includes(`*${name}`)) return [`${at} is unknown`];
      if (names.indexOf(name) !== index) return [`${at} stands twice`];
      if (!plain.test(value)) return [`${at} is not XML`];
      if (name === 'time' && !/^\d*(\.\d*)?$/.test(value)) return [`${at} is not a time`];
      if (element !== 'property' && counts.has(name) && !/^\d+$/.test(value))
        return [`${at} is not a number`];
      return [];
    }),
  ];
}
