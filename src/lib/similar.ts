// Finds the name that somebody who made a typing error probably meant.

/** More than this many edits apart, two names are no typing error of each other. */
const mostEdits = 2;

/** The candidate that is closest to `name`, if any is close; the first in the alphabet of several. */
export function similarTo(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of [...candidates].sort()) {
    const edits = distance(name, candidate, mostEdits);
    // Of short names nearly all are close.
    const isClose = edits <= mostEdits && edits < Math.min(name.length, candidate.length) / 2;
    if (isClose && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { name: candidate, edits };
  }
  return best?.name;
}

/** How many letters have to be added, removed, replaced, or exchanged with the next one. More than `most` of them are `most + 1`. */
export function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const at = (up: number, left: number) => (up === 0 ? line : rows[row - up])?.[column - left] ?? most + 1;
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (isSame ? 0 : 1), isSwap ? at(2, 2) + 1 : most + 1));
    }
    rows.push(line);
    // An exchange of letters looks back two rows.
    if (rows.slice(-2).every((each) => Math.min(...each) > most)) return most + 1;
  }
  return Math.min(rows.at(-1)?.at(-1) ?? 0, most + 1);
}

/** For the end of a sentence: `: did you mean small?`. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const similar = similarTo(name, candidates);
  return similar === undefined ? '' : `: did you mean ${similar}?`;
}
