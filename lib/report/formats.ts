import { renderBadge } from './badge.ts';
import { reportText } from './bounds.ts';
import { renderCtrf } from './ctrf.ts';
import { type HarMode, renderHar } from './har.ts';
import { renderHtml } from './html/page.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { Report } from './report.ts';
import { jsonText } from './text.ts';

/** What formats may be told. */
export interface FormatOptions {
  /** Which exchanges `exchanges.har` holds; `none` writes no such file. Default `failures`. */
  readonly har?: HarMode;
}

/** One file that is made from a report. */
export interface ReportFormat {
  readonly name: string;
  readonly file: string;
  /** The file's text; undefined where it is not wanted, and must not stay from an earlier run. */
  readonly render: (report: Report, options: FormatOptions) => string | undefined;
}

/** All formats. The report itself first: should one of the others be impossible, it is there. */
export const formats: readonly ReportFormat[] = [
  { name: 'JSON', file: 'report.json', render: reportText },
  { name: 'JUnit XML', file: 'junit.xml', render: renderJunit },
  { name: 'CTRF', file: 'ctrf.json', render: (report) => jsonText(renderCtrf(report)) },
  { name: 'Markdown', file: 'summary.md', render: renderMarkdown },
  { name: 'HTML', file: 'index.html', render: renderHtml },
  { name: 'badge', file: 'badge.svg', render: renderBadge },
  {
    name: 'HTTP Archive',
    file: 'exchanges.har',
    render: (report, { har = 'failures' }) => (har === 'none' ? undefined : jsonText(renderHar(report, har))),
  },
];
