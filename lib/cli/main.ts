#!/usr/bin/env node
import { exitCodeAfterOutput, watchOutput } from './output.ts';
import { createProgram, runProgram } from './program.ts';

watchOutput();
process.exitCode = exitCodeAfterOutput(await runProgram(createProgram(), process.argv));
