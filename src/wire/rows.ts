// What the rows of all routes have in common, as types, and the check that an answered value is what its schema says.
import type { z } from 'zod';
import type { Immutable } from './common.ts';
import type { Route } from './routes.ts';

/** What every row has, whatever its route. */
export interface AnyRow {
  readonly id: string;
  readonly name?: string | undefined;
}

/** A route whose rows have identifiers: all but plugins. */
export type Collection = Route<z.ZodType<AnyRow>>;
export type RowOf<R extends Route> = Immutable<z.output<R['answer']>>;

export type Checked<Value> =
  | { readonly fits: true; readonly value: Value }
  | { readonly fits: false; readonly problem: string };

const maxIssues = 3;

/** Names up to three places that do not fit, below `name`; never what stands there. */
function describeIssues(error: z.ZodError, name: string): string {
  const texts = error.issues.slice(0, maxIssues).map((issue) => `${[name, ...issue.path].join('.')}: ${issue.message}`);
  const more = error.issues.length - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** `value` as `schema` has it, or what is wrong with it. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): Checked<Immutable<z.output<Schema>>> {
  const result = schema.safeParse(value);
  if (!result.success) return { fits: false, problem: describeIssues(result.error, name) };
  return { fits: true, value: result.data as Immutable<z.output<Schema>> };
}
