// Reads a folder of this computer as the entries of a layer.
import { readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { TarEntry } from './tar.ts';

export interface FolderOptions {
  /** Where the content of the folder lies in the image. Its root if it is not given. */
  readonly at?: string;
  readonly owner?: number;
  /** Whether a path below the folder becomes a part of the layer. Of a folder, all that is in it depends on it. */
  readonly includes?: (path: string) => boolean;
}

/** Everything in the folder, sorted by name, so that the order of the file system does not matter. */
export async function* entriesOf(folder: string, options: FolderOptions = {}): AsyncGenerator<TarEntry> {
  const { at = '', owner = 0 } = options;
  for (const path of foldersAbove(at)) yield { kind: 'folder', path, owner };
  yield* entriesBelow(folder, '', options);
}

/** `usr`, `usr/lib` and `usr/lib/node` of `usr/lib/node`. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').filter(Boolean);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

async function* entriesBelow(folder: string, below: string, options: FolderOptions): AsyncGenerator<TarEntry> {
  const { at = '', owner = 0, includes = () => true } = options;
  const found = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = posix.join(below, entry.name);
    if (!includes(path)) continue;
    const place = { path: posix.join(at, path), owner };
    const source = join(folder, path);
    if (entry.isSymbolicLink()) yield { ...place, kind: 'link', target: await readlink(source) };
    else if (entry.isFile()) yield { ...place, kind: 'copy', source };
    else if (entry.isDirectory()) {
      yield { ...place, kind: 'folder' };
      yield* entriesBelow(folder, path, options);
    }
  }
}
