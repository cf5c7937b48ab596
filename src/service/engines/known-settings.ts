// Finds settings that an engine does not know: it would ignore them, and nobody would notice a typo. PURE.
import { distance } from '../../lib/similar.ts';

export interface KnownSettings {
  /** What all names begin with, such as `spark.`. */
  readonly prefix: string;
  /** By the part after the prefix: what follows it. `-` is the part alone. A part can have several lines. */
  readonly recorded: string;
  /** The beginnings of names that end in any way. */
  readonly open: readonly string[];
  /** Parts that programs have settings below, although the engine has some there, too. */
  readonly forPrograms: readonly string[];
}

/** A part of the engine's own has so many names. Others are also words in its classes. */
const leastNames = 4;

/** The whole names. */
export const recordedNames = ({ prefix, recorded }: Pick<KnownSettings, 'prefix' | 'recorded'>): readonly string[] =>
  recorded
    .trim()
    .split('\n')
    .map((line) => line.split(/:? /))
    .flatMap(([part = '', ...rest]) => rest.map((end) => prefix + (end === '-' ? part : `${part}.${end}`)));

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
  const names = new Set(recordedNames(known));
  const partOf = (name: string): string => name.slice(known.prefix.length).split('.')[0] ?? '';
  const byPart = Map.groupBy(names, partOf);
  const all = [...byPart.keys()];
  // Below these, all names are those of the engine.
  const parts = all.filter(
    (part) => !known.forPrograms.includes(part) && (byPart.get(part)?.length ?? 0) >= leastNames,
  );
  return (name) => {
    if (names.has(name) || known.open.some((beginning) => name.startsWith(beginning))) return undefined;
    const part = partOf(name);
    const alike = all.filter((each) => isLike(part, each));
    const meant = alike.flatMap((each) => byPart.get(each) ?? []).find((each) => isLike(name, each));
    if (meant !== undefined) return { meant };
    return alike.some((each) => parts.includes(each)) ? {} : undefined;
  };
}
