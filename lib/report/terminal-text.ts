import { styleText } from 'node:util';
import { columns, withoutWorkflowCommands, wrap } from './text.ts';

export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Columns in front of the text of a labelled line. */
export const labelColumns = 15;

/** How text is written to a terminal. */
export interface TerminalOptions {
  /** Columns of the terminal; used between 60 and 120. Default 80. */
  readonly columns?: number | undefined;
  /** Colors by escape sequences. Default false. */
  readonly color?: boolean;
  /** Only the verdict and what is broken. */
  readonly quiet?: boolean;
  /** Where the reports are: failures name their scripts there. */
  readonly reportDir?: string;
}

/** Lines for a terminal, of 60 to 120 columns. Adds colors to text that is already safe to display. */
export class TerminalText {
  readonly width: number;
  readonly #color: boolean;
  readonly #lines: string[] = [];

  constructor({ columns = 80, color = false }: Pick<TerminalOptions, 'columns' | 'color'>) {
    this.width = Math.min(Math.max(columns, 60), 120);
    this.#color = color;
  }

  line(text = ''): void {
    this.#lines.push(text);
  }

  heading(text: string, ...colors: readonly Color[]): void {
    this.line();
    this.line(this.colorize(text, 'bold', ...colors));
  }

  /** Text after a mark, its following lines under its first. */
  hangingIndent(mark: string, text: string | readonly string[], ...colors: readonly Color[]): void {
    const [first = '', ...rest] = typeof text === 'string' ? wrap(text, this.width - columns(mark)) : text;
    this.line(`${this.colorize(mark, ...colors)}${first}`);
    for (const more of rest) this.line(`${' '.repeat(columns(mark))}${more}`);
  }

  /** Text after a label. */
  field(label: string, text: string | readonly string[]): void {
    this.hangingIndent(`     ${label}`.padEnd(labelColumns), text, 'dim');
  }

  colorize(text: string, ...colors: readonly Color[]): string {
    // The caller has already decided whether the stream supports colors.
    return this.#color ? styleText([...colors], text, { validateStream: false }) : text;
  }

  text(): string {
    return `${this.#lines.map((text) => withoutWorkflowCommands(text.trimEnd())).join('\n')}\n`;
  }
}
