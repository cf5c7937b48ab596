// Writes tar archives (POSIX pax) that depend on nothing but their entries: no times, no users of this computer.
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Header, type Pack, pack } from 'tar-stream';

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
  const archive = pack();
  const written = writeEntries(archive, entries).catch((error: Error) => archive.destroy(error));
  yield* archive as AsyncIterable<Buffer>;
  await written;
}

async function writeEntries(archive: Pack, entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): Promise<void> {
  for await (const entry of entries) {
    const { header, content } = await describe(entry);
    const sink = archive.entry(header);
    try {
      if (content !== undefined) await pipeline(content, sink);
    } catch (cause) {
      throw new Error(`cannot add ${header.name} to an archive: it cannot be read, or changed meanwhile`, { cause });
    }
  }
  archive.finalize();
}

interface Described {
  readonly header: Partial<Header> & { readonly name: string };
  readonly content?: Readable;
}

/** A time of 0 and no names: the same entries are the same bytes. */
async function describe(entry: TarEntry): Promise<Described> {
  const { path: name, owner = 0 } = entry;
  const common = { name, uid: owner, gid: owner, mtime: new Date(0) };
  switch (entry.kind) {
    case 'folder':
      return { header: { ...common, name: `${name}/`, type: 'directory', mode: entry.mode ?? 0o755 } };
    case 'link':
      return { header: { ...common, type: 'symlink', mode: 0o777, linkname: entry.target } };
    case 'file': {
      const content = Buffer.from(entry.content);
      const header = { ...common, type: 'file', mode: entry.mode ?? 0o644, size: content.length } as const;
      return { header, content: Readable.from([content], { objectMode: false }) };
    }
    case 'copy': {
      const { source, mode } = entry;
      const found = await lstat(source);
      if (!found.isFile()) throw new Error(`cannot add ${source} to an archive: it is no file`);
      // Whether it can be executed is all that is kept of the mode: the rest depends on the umask of whoever wrote the file.
      const kept = mode ?? (found.mode & 0o100 ? 0o755 : 0o644);
      return { header: { ...common, type: 'file', mode: kept, size: found.size }, content: createReadStream(source) };
    }
  }
}
