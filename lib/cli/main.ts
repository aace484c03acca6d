#!/usr/bin/env node
import { exitCodeAfterOutput, watchOutput } from './output.ts';
import { runProgram } from './program.ts';

watchOutput();
process.exitCode = exitCodeAfterOutput(await runProgram(process.argv));
