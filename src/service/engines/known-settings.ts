// Finds settings that an engine does not know: it would ignore them, and nobody would notice a typo. PURE.

export interface KnownSettings {
  /** What all names begin with, such as `spark.`. */
  readonly prefix: string;
  /** By the part after the prefix: what follows it. `-` is the part alone. One line for each part. */
  readonly recorded: string;
  /** The beginnings of names that end in any way. */
  readonly open: readonly string[];
  /** Parts that programs have settings below, although the engine has some there, too. */
  readonly forPrograms: readonly string[];
}

/** A part of the engine's own has so many names. Others are also words in its classes. */
const leastNames = 4;

interface Index {
  readonly names: ReadonlySet<string>;
  /** The parts after the prefix below which all names are those of the engine. */
  readonly parts: readonly string[];
}

function indexOf({ prefix, recorded, forPrograms }: KnownSettings): Index {
  const lines = recorded
    .trim()
    .split('\n')
    .map((line) => line.split(/:? /));
  const names = lines.flatMap(([part = '', ...rest]) =>
    rest.map((end) => prefix + (end === '-' ? part : `${part}.${end}`)),
  );
  const parts = lines.filter(({ length }) => length > leastNames).flatMap(([part]) => part ?? []);
  return { names: new Set(names), parts: parts.filter((part) => !forPrograms.includes(part)) };
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

/** So many typos are likely in a word. */
const typosIn = ({ length }: string): number => (length < 4 ? 0 : length < 7 ? 1 : 2);

const isLike = (one: string, other: string): boolean => {
  const most = typosIn(one);
  return distance(one, other, most) <= most;
};

/**
 * Returns a function that tells whether the engine ignores a setting, with the name that is probably meant. A program or a library can have settings, too: those
 * whose first part is none of the engine's, and not like one, are theirs.
 */
export function createKnownSettings(known: KnownSettings): (name: string) => { readonly meant?: string } | undefined {
  const { names, parts } = indexOf(known);
  const partOf = (name: string): string => name.slice(known.prefix.length).split('.')[0] ?? '';
  const byPart = Map.groupBy(names, partOf);
  const all = [...byPart.keys()];
  return (name) => {
    if (names.has(name) || known.open.some((beginning) => name.startsWith(beginning))) return undefined;
    const part = partOf(name);
    const alike = all.filter((each) => isLike(part, each));
    const meant = alike.flatMap((each) => byPart.get(each) ?? []).find((each) => isLike(name, each));
    if (meant !== undefined) return { meant };
    return alike.some((each) => parts.includes(each)) ? {} : undefined;
  };
}
