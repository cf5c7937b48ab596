// Request schemas of upstream, narrowed to what a dialect accepts. The narrowing is also available as data for the documentation. PURE.
import type { z } from 'zod';

type NarrowedPath = readonly PropertyKey[];
export type FieldProblem = readonly [path: NarrowedPath, message: string];

/** Fields are given by path. `*` stands for each item of a list. */
export interface Narrowing {
  readonly without?: readonly string[];
  readonly needs?: readonly string[];
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  readonly forms?: Readonly<Record<string, Form>>;
}

export interface Form {
  readonly pattern: RegExp;
  /** The message for a text of another form. */
  readonly message: string;
}

export const unknownField = 'unknown field';

export const given = (fields: object, names: readonly string[]): readonly string[] =>
  names.filter((name) => Object.getOwnPropertyDescriptor(fields, name)?.value !== undefined);

export const unless = (condition: boolean, path: NarrowedPath, message: string): readonly FieldProblem[] =>
  condition ? [] : [[path, message]];

interface NarrowedPlace {
  readonly path: NarrowedPath;
  readonly value: unknown;
}

/** The places that the pattern matches in a body. A missing field has the value undefined, and nothing below it matches. */
function placesOf(body: unknown, pattern: string): readonly NarrowedPlace[] {
  return pattern.split('.').reduce<readonly NarrowedPlace[]>(
    (places, step) =>
      places.flatMap(({ path, value }) => {
        if (step === '*')
          return Array.isArray(value)
            ? value.map((item: unknown, index) => ({ path: [...path, index], value: item }))
            : [];
        if (typeof value !== 'object' || value === null) return [];
        return [{ path: [...path, step], value: Object.getOwnPropertyDescriptor(value, step)?.value as unknown }];
      }),
    [{ path: [], value: body }],
  );
}

/** The problems of a body according to the narrowing, even if it does not match the schema. */
export function problemsOf(
  body: unknown,
  { without = [], needs = [], choices = {}, forms = {} }: Narrowing,
): readonly FieldProblem[] {
  const found = (pattern: string) => placesOf(body, pattern);
  return [
    ...without.flatMap(found).flatMap(({ path, value }) => unless(value === undefined, path, unknownField)),
    ...needs.flatMap(found).flatMap(({ path, value }) => unless(value !== undefined, path, 'is required')),
    ...Object.entries(choices).flatMap(([pattern, choice]) =>
      found(pattern).flatMap(({ path, value }) =>
        unless(
          value === undefined || (choice as readonly unknown[]).includes(value),
          path,
          `must be one of ${choice.join(', ')}`,
        ),
      ),
    ),
    ...Object.entries(forms).flatMap(([place, { pattern, message }]) =>
      found(place).flatMap(({ path, value }) =>
        unless(typeof value !== 'string' || pattern.test(value), path, message),
      ),
    ),
  ];
}

const narrowings = new WeakMap<z.ZodType, Narrowing>();

/** The combined narrowing of the schema. */
export const narrowingOf = (schema: z.ZodType): Narrowing => narrowings.get(schema) ?? {};

/** `schema` with a narrowing. `problems`: checks that concern several fields. */
export function narrowed<Schema extends z.ZodType>(
  schema: Schema,
  narrowing: Narrowing,
  problems: (body: z.output<Schema>) => readonly FieldProblem[] = () => [],
): Schema {
  const checked = schema.superRefine((body, context) => {
    for (const [path, message] of [...problemsOf(body, narrowing), ...problems(body)])
      context.addIssue({ code: 'custom', path: [...path], message });
  });
  const before = narrowingOf(schema);
  narrowings.set(checked, {
    without: [...(before.without ?? []), ...(narrowing.without ?? [])],
    needs: [...(before.needs ?? []), ...(narrowing.needs ?? [])],
    choices: { ...before.choices, ...narrowing.choices },
    forms: { ...before.forms, ...narrowing.forms },
  });
  return checked;
}
