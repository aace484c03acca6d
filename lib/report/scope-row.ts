import type { ScopeRow } from './report.ts';

/** What the response to a request with one scope means. */
export type CellKind = 'refused' | 'allowed' | 'wrong' | 'unsent';

/** What a cell of the row means. */
export function cellKind(row: ScopeRow, scope: string): CellKind {
  const status = row.cells[scope];
  const suffices = row.required === scope;
  if (status === undefined) return 'unsent';
  // Without a known scope nothing can be judged.
  if (row.required !== '') {
    const isRefused = suffices ? status === 401 || status === 403 : status === 403;
    if (isRefused === suffices) return 'wrong';
  }
  return suffices ? 'allowed' : 'refused';
}

/** Scopes of the row whose response was wrong. */
export function wrongScopes(row: ScopeRow): string[] {
  return Object.keys(row.cells).filter((scope) => cellKind(row, scope) === 'wrong');
}
