// A body that comes little by little.

/** Its bytes come `size` at a time. */
export function* chunksOf(text: string | Buffer, size: number): Generator<Buffer> {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}
