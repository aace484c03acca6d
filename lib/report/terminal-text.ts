import { styleText } from 'node:util';
import { columns, withoutWorkflowCommands, wrap } from './text.ts';

export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/** Columns in front of the text of a labelled line. */
export const labelColumns = 15;

/** How a terminal wants its text. */
export interface TerminalOptions {
  /** Columns of the terminal; used between 60 and 120. Default 80. */
  readonly columns?: number | undefined;
  /** Colours by escape sequences. Default false. */
  readonly color?: boolean;
  /** Only the verdict and what is broken. */
  readonly quiet?: boolean;
  /** Where the reports are: failures name their scripts there. */
  readonly reportDir?: string;
}

/** Lines for a terminal, of 60 to 120 columns; colours around text that is already harmless. */
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
    this.line(this.paint(text, 'bold', ...colors));
  }

  /** Text after a mark, its following lines under its first. */
  hang(mark: string, text: string | readonly string[], ...colors: readonly Color[]): void {
    const [first = '', ...rest] = typeof text === 'string' ? wrap(text, this.width - columns(mark)) : text;
    this.line(`${this.paint(mark, ...colors)}${first}`);
    for (const more of rest) this.line(`${' '.repeat(columns(mark))}${more}`);
  }

  /** Text after a label. */
  field(label: string, text: string | readonly string[]): void {
    this.hang(`     ${label}`.padEnd(labelColumns), text, 'dim');
  }

  paint(text: string, ...colors: readonly Color[]): string {
    // The caller has already decided whether the stream supports colours.
    return this.#color ? styleText([...colors], text, { validateStream: false }) : text;
  }

  text(): string {
    return `${this.#lines.map((text) => withoutWorkflowCommands(text.trimEnd())).join('\n')}\n`;
  }
}
