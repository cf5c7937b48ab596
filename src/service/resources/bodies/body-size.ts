// Refuses bodies with too many items before a schema sees them: each of its problems takes about 1 kB, and is made before any bound is looked at. PURE.
import { mostItems, mostValuesOfRequest, tooManyItems, tooManyValues } from '../../../wire/bounds.ts';
import type { FieldProblem } from './narrowing.ts';

/** The place and the text of the first problem of the size. Undefined if there is none. */
export function sizeProblemOf(body: unknown): FieldProblem | undefined {
  let values = 0;
  const visit = (value: unknown, path: FieldProblem[0]): FieldProblem | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    const isList = Array.isArray(value);
    const keys = isList ? undefined : Object.keys(value);
    const count = keys?.length ?? (value as readonly unknown[]).length;
    if (count > mostItems) return [path, tooManyItems];
    values += count;
    if (values > mostValuesOfRequest) return [[], tooManyValues];
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null) continue;
      const problem = visit(inner, [...path, isList ? Number(key) : key]);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(body, []);
}
