// Finds the name that somebody who made a typing error probably meant.

/** More than this many edits apart, two names are no typing error of each other. */
const mostEdits = 2;

/** The candidate that is closest to `name`, if any is close; the first in the alphabet of several. */
export function similarTo(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of [...candidates].sort()) {
    const edits =
      Math.abs(candidate.length - name.length) > mostEdits ? Number.POSITIVE_INFINITY : distance(name, candidate);
    // Of short names nearly all are close.
    const isClose = edits <= mostEdits && edits < Math.min(name.length, candidate.length) / 2;
    if (isClose && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { name: candidate, edits };
  }
  return best?.name;
}

/** Insertions, deletions and replacements that make one of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** For the end of a sentence: `: did you mean small?`. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const similar = similarTo(name, candidates);
  return similar === undefined ? '' : `: did you mean ${similar}?`;
}
