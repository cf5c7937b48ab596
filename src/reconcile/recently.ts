// Reads of parts of a resource that need not be done again and again. PURE: the same part is always read the same.

/** Enough for what is being worked on; to remember all would double what a settled resource costs. */
const remembered = 512;

/**
 * `read`, done once for each of the parts that were asked for lately. The caches share what one version of a resource has in
 * common with the next, so a spec is read once a generation.
 */
export function recently<Part, Result>(read: (part: Part) => Result): (part: Part) => Result {
  const known = new Map<Part, { readonly result: Result }>();
  return (part) => {
    const before = known.get(part);
    if (before) return before.result;
    const result = read(part);
    known.set(part, { result });
    const [oldest] = known.size > remembered ? known.keys() : [];
    if (oldest) known.delete(oldest);
    return result;
  };
}
