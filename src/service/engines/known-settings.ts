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
  const byLength = Map.groupBy(names, ({ length }) => length);
  /** With one typo, also in a part that is like none then, or in the case of letters. */
  const nearestTo = (name: string): string | undefined =>
    [0, 1, -1]
      .flatMap((more) => byLength.get(name.length + more) ?? [])
      .find((each) => isTypo(name.toLowerCase(), each.toLowerCase(), 1));
  return (name) => {
    if (names.has(name) || known.open.some((beginning) => name.startsWith(beginning))) return undefined;
    const part = partOf(name);
    const alike = all.filter((each) => isLike(part, each));
    const meant = alike.flatMap((each) => byPart.get(each) ?? []).find((each) => isLike(name, each)) ?? nearestTo(name);
    if (meant !== undefined) return { meant };
    return alike.some((each) => parts.includes(each)) ? {} : undefined;
  };
}

/** What is left of two texts without the beginning and the end that they share. */
function differing(one: string, other: string): readonly [string, string] {
  const least = Math.min(one.length, other.length);
  let [begin, end] = [0, 0];
  while (begin < least && one[begin] === other[begin]) begin += 1;
  while (end < least - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
}

/** Below this length of a name, so many typos are likely in it. Texts that differ in more characters than `widest` are compared no further. */
const shortName = 16;
const widest = 8;

function isTypo(name: string, known: string, most = name.length < shortName ? 1 : 2): boolean {
  if (Math.abs(name.length - known.length) > most) return false;
  const [one, other] = differing(name, known);
  if (Math.max(one.length, other.length) > widest) return false;
  // Programs number their settings.
  return !/^\d+$/.test(one + other) && distance(one, other, most) <= most;
}

/**
 * Returns a function that finds the name that was probably meant, for a name that an engine does not know although it is like a known one. All others can be
 * those of programs, or below a known one, such as `mapreduce.map.env.A`.
 */
export function createMeant(recorded: string): (name: string) => string | undefined {
  const names = new Set(recordedNames({ prefix: '', recorded }));
  const byLength = Map.groupBy(names, ({ length }) => length);
  return (name) => {
    if (names.has(name)) return undefined;
    const near = [0, 1, -1, 2, -2].flatMap((more) => byLength.get(name.length + more) ?? []);
    return near.find((known) => !name.startsWith(`${known}.`) && isTypo(name, known));
  };
}
