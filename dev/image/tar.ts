// Writes tar archives (POSIX pax) that depend on nothing but their entries: no times, no users of this computer.
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';

const BLOCK = 512;
const NAME_LENGTH = 100;

interface Place {
  /** Relative, without a leading slash. */
  readonly path: string;
  /** Of user and group. Root if it is not given. */
  readonly owner?: number;
}

export type TarEntry = Place &
  (
    | { readonly kind: 'folder'; readonly mode?: number }
    | { readonly kind: 'file'; readonly content: Buffer | string; readonly mode?: number }
    /** A file of this computer, which must not change meanwhile. */
    | { readonly kind: 'copy'; readonly source: string; readonly mode?: number }
    | { readonly kind: 'link'; readonly target: string }
  );

/** The archive, piece by piece. Entries stay in their order. */
export async function* writeTar(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) yield* writeEntry(entry);
  yield Buffer.alloc(2 * BLOCK);
}

async function* writeEntry(entry: TarEntry): AsyncGenerator<Buffer> {
  const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'link' ? entry.target : '';
  const records = [...longRecord('path', path), ...longRecord('linkpath', target)];
  if (records.length > 0) yield* writeContent({ path: 'pax', type: 'x', mode: 0o644 }, Buffer.from(records.join('')));
  const owner = entry.owner ?? 0;
  switch (entry.kind) {
    case 'folder':
      return yield header({ path, type: '5', mode: entry.mode ?? 0o755, owner, size: 0 });
    case 'link':
      return yield header({ path, type: '2', mode: 0o777, owner, size: 0, target });
    case 'file':
      return yield* writeContent({ path, type: '0', mode: entry.mode ?? 0o644, owner }, Buffer.from(entry.content));
    case 'copy':
      return yield* writeCopy({ path, type: '0', owner }, entry);
  }
}

/** Names of more than 100 bytes, or of other than ASCII letters, have a place of their own. */
function longRecord(key: string, value: string): readonly string[] {
  if (Buffer.byteLength(value) <= NAME_LENGTH && /^[ -~]*$/.test(value)) return [];
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  // The length counts its own digits.
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return [`${length} ${key}=${value}\n`];
}

type Named = Omit<Header, 'size'>;

async function* writeContent(named: Named, content: Buffer): AsyncGenerator<Buffer> {
  yield header({ ...named, size: content.length });
  yield content;
  yield padding(content.length);
}

async function* writeCopy(
  named: Omit<Named, 'mode'>,
  { source, mode }: TarEntry & { readonly kind: 'copy' },
): AsyncGenerator<Buffer> {
  const found = await lstat(source);
  if (!found.isFile()) throw new Error(`cannot add ${source} to an archive: it is no file`);
  // Whether it can be executed is all that is kept of the mode: the rest depends on the umask of whoever wrote the file.
  yield header({ ...named, mode: mode ?? (found.mode & 0o100 ? 0o755 : 0o644), size: found.size });
  let size = 0;
  for await (const piece of createReadStream(source) as AsyncIterable<Buffer>) {
    size += piece.length;
    yield piece;
  }
  if (size !== found.size) throw new Error(`cannot add ${source} to an archive: it changed while it was read`);
  yield padding(size);
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

interface Header {
  readonly path: string;
  readonly type: '0' | '2' | '5' | 'x';
  readonly mode: number;
  readonly owner?: number;
  readonly size: number;
  readonly target?: string;
}

/** A time of 0 and no names: the same entries are the same bytes. */
function header({ path, type, mode, owner = 0, size, target = '' }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const put = (text: string, at: number, length: number): void => {
    Buffer.from(text).copy(block, at, 0, length);
  };
  const number = (value: number, at: number, length: number): void =>
    put(value.toString(8).padStart(length - 1, '0'), at, length - 1);
  put(path, 0, NAME_LENGTH);
  number(mode, 100, 8);
  number(owner, 108, 8);
  number(owner, 116, 8);
  number(size, 124, 12);
  number(0, 136, 12);
  put(type, 156, 1);
  put(target, 157, NAME_LENGTH);
  put('ustar\0' + '00', 257, 8);
  // The checksum counts itself as spaces.
  put(' '.repeat(8), 148, 8);
  put(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
    8,
  );
  return block;
}
