import type { ScopeRow } from './report.ts';

/** What an answer to one scope sent alone means. */
export type CellKind = 'refused' | 'allowed' | 'wrong' | 'unanswered' | 'unsent';

/** What a cell of the row means. */
export function cellKind(row: ScopeRow, scope: string): CellKind {
  const status = row.cells[scope];
  if (status === undefined) return 'unsent';
  if (isWrong(row, scope, status)) return 'wrong';
  if (status === 0) return 'unanswered';
  return suffices(row, scope) ? 'allowed' : 'refused';
}

/** Scopes of the row whose answer was wrong. */
export function wrongScopes(row: ScopeRow): string[] {
  return Object.entries(row.cells)
    .filter(([scope, status]) => isWrong(row, scope, status))
    .map(([scope]) => scope);
}

/** True where this scope alone is all that the operation needs. */
export function suffices(row: ScopeRow, scope: string): boolean {
  return row.required === scope;
}

function isWrong(row: ScopeRow, scope: string, status: number): boolean {
  if (row.wrong !== undefined) return row.wrong.includes(scope);
  // Without a known scope, or without an answer, nothing can be told.
  if (row.required === '' || status === 0) return false;
  return suffices(row, scope) ? status === 401 || status === 403 : status !== 403;
}
