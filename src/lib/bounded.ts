// Reads what a pod, or anybody else who may be hostile, sends: up to a number of bytes, and nothing that is compressed.

/** In bytes. No page of an engine has as many. */
export const mostAnswerBytes = 4 * 1024 ** 2;

/** The chunks as they come. Throws an Error with `problem` as soon as there are more bytes, and reads no further. */
export async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  problem: string,
): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new Error(problem);
    yield chunk;
  }
}

/** All of it, as UTF-8. Rejects if there are more bytes. */
export async function readText(chunks: AsyncIterable<Uint8Array>, most = mostAnswerBytes): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bounded(chunks, most, `the answer has more than ${most} bytes`)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Headers of a request whose answer must not be compressed. */
export const uncompressed = { 'accept-encoding': 'identity' } as const;

/** The text of an answer to a request with the headers `uncompressed`. Rejects if it has more than `mostAnswerBytes`, or is compressed all the same. */
export async function readAnswer({ body, headers }: Pick<Response, 'body' | 'headers'>): Promise<string> {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    await body?.cancel();
    throw new Error(`the answer is compressed (${encoding.slice(0, 20)}), although that was not asked for`);
  }
  return body === null ? '' : await readText(body);
}
