// What the answers of two API servers may differ in is made equal.

/** Uids and digests by the order in which they appear, versions by their order, and no times: what the two may differ in. */
export function comparable(results: readonly unknown[]): unknown {
  const seen: Record<string, string[]> = { uid: [], looks: [] };
  const versions: string[] = [];
  JSON.stringify(results, (key, value: unknown) => {
    const known = seen[key];
    if (known !== undefined && !known.includes(String(value))) known.push(String(value));
    if (key === 'resourceVersion') versions.push(String(value));
    return value;
  });
  const order = [...new Set(versions)].toSorted((one, other) => Number(one) - Number(other));
  return JSON.parse(
    JSON.stringify(results, (key, value: unknown) => {
      const known = seen[key];
      if (known !== undefined) return `${key} ${known.indexOf(String(value))}`;
      if (key === 'resourceVersion') return `version ${order.indexOf(String(value))}`;
      return key.endsWith('Timestamp') ? 'a time' : key === 'namespace' ? 'ns' : value;
    }),
  );
}
