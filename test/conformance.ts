import { conformance } from '../lib/vitest/index.ts';

conformance();
