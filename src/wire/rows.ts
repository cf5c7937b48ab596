// The common type of rows, and the check of an answered value against its schema.
import type { z } from 'zod';
import type { Immutable } from './common.ts';
import type { Route } from './routes.ts';

export interface AnyRow {
  readonly id: string;
  readonly name?: string | undefined;
}

/** A route whose rows have identifiers, which are all routes except plugins. */
export type Collection = Route<z.ZodType<AnyRow>>;
export type RowOf<R extends Route> = Immutable<z.output<R['answer']>>;

export type Checked<Value> =
  | { readonly fits: true; readonly value: Value }
  | { readonly fits: false; readonly problem: string };

const maxIssues = 3;

/** Describes up to three problems by path below `name`, without quoting values. */
function describeIssues(error: z.ZodError, name: string): string {
  const texts = error.issues.slice(0, maxIssues).map((issue) => `${[name, ...issue.path].join('.')}: ${issue.message}`);
  const more = error.issues.length - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Checks `value` against `schema`. Returns the parsed value or the problem. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): Checked<Immutable<z.output<Schema>>> {
  const result = schema.safeParse(value);
  if (!result.success) return { fits: false, problem: describeIssues(result.error, name) };
  return { fits: true, value: result.data as Immutable<z.output<Schema>> };
}
