// Reads what is in the jars of an engine: its files of defaults, and the texts in its classes. Names of settings are such texts.
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

interface JarEntry {
  readonly name: string;
  readonly bytes: () => Buffer;
}

const endMark = 0x06054b50;
const stored = 0;

/** The entries of a jar, in the order of its directory. */
export function* entriesIn(jar: string): Generator<JarEntry> {
  const bytes = readFileSync(jar);
  let end = bytes.length - 22;
  while (bytes.readUInt32LE(end) !== endMark) end -= 1;
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    const entry = at;
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(entry + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    yield { name, bytes: () => contentOf(bytes, entry) };
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
}

function contentOf(bytes: Buffer, entry: number): Buffer {
  const local = bytes.readUInt32LE(entry + 42);
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const packed = bytes.subarray(start, start + bytes.readUInt32LE(entry + 20));
  return bytes.readUInt16LE(entry + 10) === stored ? packed : inflateRawSync(packed);
}

/** How many bytes follow the tag of an entry of the pool of constants. Those of texts have their length before them. */
const sizes = new Map<number, number>([
  ...[7, 8, 16, 19, 20].map((tag) => [tag, 2] as const),
  ...[15].map((tag) => [tag, 3] as const),
  ...[3, 4, 9, 10, 11, 12, 17, 18].map((tag) => [tag, 4] as const),
  ...[5, 6].map((tag) => [tag, 8] as const),
]);
const text = 1;
/** Numbers of eight bytes take two places in the pool. */
const wide = [5, 6];

/** The texts in a class file: constants, names and types. */
export function textsIn(file: Buffer): readonly string[] {
  const texts: string[] = [];
  const count = file.readUInt16BE(8);
  for (let [index, at] = [1, 10]; index < count; index += 1) {
    const tag = file.readUInt8(at);
    if (tag === text) {
      const length = file.readUInt16BE(at + 1);
      texts.push(file.toString('utf8', at + 3, at + 3 + length));
      at += 3 + length;
      continue;
    }
    const size = sizes.get(tag);
    if (size === undefined) throw new Error(`unknown tag ${tag} in a class file`);
    at += 1 + size;
    if (wide.includes(tag)) index += 1;
  }
  return texts;
}

/** All texts in the classes of the jars that match. */
export function namesIn(jars: readonly string[], pattern: RegExp): ReadonlySet<string> {
  const names = new Set<string>();
  for (const jar of jars)
    for (const { name, bytes } of entriesIn(jar))
      if (name.endsWith('.class')) for (const each of textsIn(bytes())) if (pattern.test(each)) names.add(each);
  return names;
}

/** The names in the files `*-default.xml` of the jars. */
export function defaultsIn(jars: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const jar of jars)
    for (const { name, bytes } of entriesIn(jar))
      if (/^[\w-]+-default\.xml$/.test(name))
        for (const [, each = ''] of bytes()
          .toString('utf8')
          .matchAll(/<name>\s*([^<\s]+)\s*<\/name>/g))
          names.add(each);
  return names;
}
