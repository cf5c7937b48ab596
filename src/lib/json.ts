// Values of JSON, which may be anything.
import { hasManyValues, manyValues } from './http/bounded.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same text for the same value, whatever the order of its keys. */
export const stableText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

const deepest = 100;

/** Not recursive, because recursion would exhaust the stack. */
function isDeep(value: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: here, depth } = next;
    if (typeof here !== 'object' || here === null) continue;
    if (depth === deepest) return true;
    for (const inner of Object.values(here)) open.push({ value: inner, depth: depth + 1 });
  }
  return false;
}

/** Throws an Error whose message continues a sentence. */
export function parseJson(text: string): unknown {
  if (hasManyValues(text)) throw new Error(`it has ${manyValues}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
  if (isDeep(value)) throw new Error(`it is nested more than ${deepest} deep`);
  return value;
}
