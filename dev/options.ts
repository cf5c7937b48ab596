// The options of the programs for development.
import { z } from 'zod';
import { type FlagTable, type FlagValues, readFlags } from '../src/lib/flags.ts';

export const path = z.string().min(1, { error: 'must be a path, not ""' });

/** Throws `cannot read options: ...` that names every wrong one. */
export function readOptionsOf<Table extends FlagTable>(table: Table, args: readonly string[]): FlagValues<Table> {
  const { values, problems } = readFlags(table, args);
  if (values === undefined) throw new Error(`cannot read options: ${problems.join('; ')}`);
  return values;
}
