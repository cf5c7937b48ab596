// The columns of `kubectl get`, read from an object.

import { isJsonObject } from '../../../lib/json.ts';
import { ownValue } from '../../../lib/own.ts';
import { age, message, ready, reason } from '../../api/columns.ts';
import type { Column, RawResource } from '../../api/definition.ts';
import { cut } from './text.ts';

/** They are fields of every object in the answer. */
const elsewhere = new Set([ready, reason, message, age].map(({ jsonPath }) => jsonPath));
const longestValue = 256;

export function columnsOf(
  columns: readonly Column[],
  resource: RawResource,
): readonly { readonly name: string; readonly value: string }[] {
  return columns.flatMap(({ name, jsonPath }) => {
    if (elsewhere.has(jsonPath)) return [];
    const value = valueAt(resource, jsonPath);
    return value === undefined ? [] : [{ name, value: cut(String(value), longestValue) }];
  });
}

/** Fields, and the entries of lists by their type: all that the paths of columns consist of. */
const step = /\.(?<field>\w+)|\[\?\(@\.type=="(?<type>\w+)"\)\]/g;

/** Undefined unless it is a text, a number or a boolean. */
export function valueAt(resource: object, jsonPath: string): string | number | boolean | undefined {
  let value: unknown = resource;
  for (const { groups } of jsonPath.matchAll(step)) value = follow(value, groups ?? {});
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as string) : undefined;
}

function follow(value: unknown, { field, type }: Readonly<Record<string, string>>): unknown {
  if (field !== undefined) return isJsonObject(value) ? ownValue(value, field) : undefined;
  return Array.isArray(value) ? value.find((one) => isJsonObject(one) && one['type'] === type) : undefined;
}
