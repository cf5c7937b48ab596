// Reads of parts of a resource that need not be done again and again. PURE: the same part is always read the same.

/** Enough for what is being worked on; to remember all would double what a settled resource costs. */
const remembered = 256;

/**
 * `read`, done once for each of the parts that were asked for lately. The caches share what one version of a resource has in
 * common with the next, so a spec is read once a generation.
 */
export function memoize<Part, Result>(read: (part: Part) => Result): (part: Part) => Result {
  type Known = Map<Part, { readonly result: Result }>;
  // Two halves: whoever deletes the oldest of one map again and again makes it slow.
  let [young, old]: [Known, Known] = [new Map(), new Map()];
  return (part) => {
    const before = young.get(part);
    if (before) return before.result;
    const known = old.get(part) ?? { result: read(part) };
    young.set(part, known);
    if (young.size >= remembered / 2) [young, old] = [new Map(), young];
    return known.result;
  };
}
