// The options of the programs for development.
import { z } from 'zod';
import { type FlagTable, type FlagValues, readFlags } from '../src/lib/flags.ts';

export const integer = (min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = /^\d+$/.test(text) ? Number(text) : undefined;
    if (value !== undefined && value >= min && value <= max) return value;
    context.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}, not "${text}"` });
    return z.NEVER;
  });

export const path = z.string().min(1, { error: 'must be a path, not ""' });

/** Throws `cannot read options: ...` that names every wrong one. */
export function readOptionsOf<Table extends FlagTable>(table: Table, args: readonly string[]): FlagValues<Table> {
  const { values, problems } = readFlags(table, args);
  if (values === undefined) throw new Error(`cannot read options: ${problems.join('; ')}`);
  return values;
}
