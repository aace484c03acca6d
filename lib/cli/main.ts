#!/usr/bin/env node
import { createProgram, runProgram } from './program.ts';

process.exitCode = await runProgram(createProgram(), process.argv);
