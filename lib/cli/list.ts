import type { Told } from './settings.ts';
export async function listCommand(_told: Told): Promise<number> {
  return 0;
}
