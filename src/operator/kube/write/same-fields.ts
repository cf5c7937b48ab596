// Compares two JSON values.

/**
 * The path of the first difference, such as `conditions[].type`, or undefined if the values are equal. A key with the value undefined
 * counts as missing. The order of lists of objects is ignored, because the API server may merge them in another order.
 */
export function firstDifference(wanted: unknown, found: unknown): string | undefined {
  if (Array.isArray(wanted) && Array.isArray(found)) return listDifference(wanted, found);
  if (isRecord(wanted) && isRecord(found)) return recordDifference(wanted, found);
  return Object.is(wanted, found) ? undefined : '';
}

function recordDifference(wanted: JsonRecord, found: JsonRecord): string | undefined {
  const others = Object.keys(found).filter((name) => !Object.hasOwn(wanted, name));
  for (const name of [...Object.keys(wanted), ...others]) {
    const rest = firstDifference(wanted[name], found[name]);
    if (rest !== undefined) return rest === '' || rest.startsWith('[') ? `${name}${rest}` : `${name}.${rest}`;
  }
  return undefined;
}

function listDifference(wanted: readonly unknown[], found: readonly unknown[]): string | undefined {
  if (wanted.length !== found.length) return '[]';
  if (sameInOrder(wanted, found)) return undefined;
  const sets = wanted.every(isRecord) && found.every(isRecord);
  return sets && sameInOrder(byText(wanted), byText(found)) ? undefined : '[]';
}

function sameInOrder(wanted: readonly unknown[], found: readonly unknown[]): boolean {
  return wanted.every((item, index) => firstDifference(item, found[index]) === undefined);
}

type JsonRecord = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byText(items: readonly unknown[]): readonly unknown[] {
  return items
    .map((item) => ({ item, text: canonical(item) }))
    .toSorted(compareText)
    .map(({ item }) => item);
}

function compareText(left: { readonly text: string }, right: { readonly text: string }): number {
  return left.text < right.text ? -1 : left.text > right.text ? 1 : 0;
}

function canonical(value: unknown): string {
  const sortKeys = (_name: string, part: unknown): unknown =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part;
  return JSON.stringify(value, sortKeys);
}
