// How a spec differs from another one, field by field. PURE.
import type { Fields } from '../fields.ts';
import type { SpecChange } from './file-plans.ts';

/** Entries of a list that have names are compared by these. */
export function specChanges(before: unknown, after: unknown, path = 'spec'): readonly SpecChange[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  if (was === undefined || is === undefined)
    return textOf(before) === textOf(after) ? [] : [change(path, before, after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const below = (name: string): string => (Array.isArray(after) ? `${path}[${name}]` : `${path}.${name}`);
  return names.flatMap((name) => specChanges(was[name], is[name], below(name)));
}

function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return value as Fields;
  const named = value.map((one: unknown) => [Reflect.get(Object(one), 'name'), one] as const);
  return named.every(([name]) => typeof name === 'string') ? Object.fromEntries(named) : undefined;
}

function change(path: string, before: unknown, after: unknown): SpecChange {
  return {
    path,
    ...(before === undefined ? {} : { from: textOf(before) }),
    ...(after === undefined ? {} : { to: textOf(after) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
