import { visibleLines, withoutWorkflowCommands } from '../report/text.ts';

/** Streams that the command line prints to. */
const streams = [process.stdout, process.stderr];

let failure: string | undefined;

/**
 * Keeps errors of the output from ending the process. A reader that closes the pipe (`| head -1`) has seen enough; any other
 * error, such as a full disk, is printed at the end.
 */
export function watchOutput(): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') failure ??= error.message;
    });
  }
}

/** The exit code; lost output is reported first. */
export function exitCodeAfterOutput(code: number): number {
  if (failure === undefined) return code;
  printError(`error: the output could not be written: ${failure}\n`);
  return code === 0 ? 3 : code;
}

/**
 * Prints to standard error. Neutralizes terminal escapes and the workflow commands of CI runners, which text from a target or a
 * user may contain.
 */
export function printError(text: string): void {
  process.stderr.write(withoutWorkflowCommands(visibleLines(text)));
}
