// A bounded cache for pure functions. PURE.

/** Enough for the resources in progress. Remembering all would double the memory of an idle resource. */
const remembered = 256;

/** Remembers the results for recent arguments, by identity. Versions of a resource share their spec, so a spec is parsed once per generation. */
export function memoize<Part, Result>(read: (part: Part) => Result): (part: Part) => Result {
  type Known = Map<Part, { readonly result: Result }>;
  // Two generations, because a Map becomes slow when its oldest entry is deleted again and again.
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
