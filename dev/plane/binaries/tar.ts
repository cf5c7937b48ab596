// Reads regular files from an uncompressed tar archive in memory.

const BLOCK = 512;

export interface TarFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Yields the regular files in their order; long names of the extended formats are not needed here and not supported. */
export function* readTar(archive: Buffer): Generator<TarFile> {
  let offset = 0;
  while (offset + BLOCK <= archive.length) {
    const header = archive.subarray(offset, offset + BLOCK);
    // Two empty blocks end an archive; one is enough to know.
    if (header[0] === 0) return;
    const size = Number.parseInt(text(header, 124, 12), 8);
    const begin = offset + BLOCK;
    if (!(size >= 0) || begin + size > archive.length) throw new Error('cannot read the tar archive: it is cut off');
    const type = text(header, 156, 1);
    if (type === '0' || type === '')
      yield { path: text(header, 0, 100), content: archive.subarray(begin, begin + size) };
    offset = begin + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function text(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end).trim();
}
