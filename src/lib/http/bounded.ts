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

/** Of all answers that are being read, in bytes. Short ones are read in any case. */
const [mostHeldBytes, shortBytes] = [24 * 1024 ** 2, 64 * 1024];
let heldBytes = 0;

/** All of it, as UTF-8. Rejects if there are more bytes, and if it is long while other long answers take the memory that there is for all of them. */
export async function readText(chunks: AsyncIterable<Uint8Array>, most = mostAnswerBytes): Promise<string> {
  // Chunks can be of one byte, which would take a hundred as an object of its own.
  let buffer = Buffer.allocUnsafe(0);
  let length = 0;
  try {
    for await (const chunk of bounded(chunks, most, `the answer has more than ${most} bytes`)) {
      if (length + chunk.length > buffer.length) {
        const size = Math.min(Math.max(2 * buffer.length, length + chunk.length), most);
        heldBytes += size - buffer.length;
        const larger = Buffer.allocUnsafe(size);
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
        if (size > shortBytes && heldBytes > mostHeldBytes)
          throw new Error('the answer is long, and other long answers take the memory that there is for them');
      }
      buffer.set(chunk, length);
      length += chunk.length;
    }
    return buffer.toString('utf8', 0, length);
  } finally {
    heldBytes -= buffer.length;
  }
}

/** Gets each line of an answer. */
export type OnLine = (line: string) => void;
/** Of an answer that is read line by line in bytes, and of one of its lines in characters. */
const [mostReadBytes, mostLineLength] = [1024 ** 3, 64 * 1024];

/** Keeps only the line in memory that is being read. Rejects if there are more than 1 GiB, or a line is longer than 64 Ki characters. */
export async function readLines(chunks: AsyncIterable<Uint8Array>, onLine: OnLine): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bounded(chunks, mostReadBytes, `the answer has more than ${mostReadBytes} bytes`)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > mostLineLength)
      throw new Error(`a line of the answer has more than ${mostLineLength} characters`);
  }
  onLine(rest + decoder.decode());
}

/** All of it, as `readText` does, or nothing if somebody gets the lines. */
export async function readWhole(chunks: AsyncIterable<Uint8Array>, onLine: OnLine | undefined): Promise<string> {
  if (onLine === undefined) return await readText(chunks);
  await readLines(chunks, onLine);
  return '';
}

/** More would stop the event loop, and take much more memory than their text. No page of an engine, and no request, has as many. */
const [mostContainers, mostValues] = [50_000, 500_000];
/** What is refused, for messages. */
export const manyValues = 'more than 50,000 objects and arrays, or 500,000 values';
const [openBrace, openBracket, comma] = [0x7b, 0x5b, 0x2c];

/** Whether JSON has `manyValues`. What texts have of brackets and commas counts, too. */
export function hasManyValues(text: string): boolean {
  let [containers, values] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === openBrace || code === openBracket) containers += 1;
    else if (code === comma) values += 1;
  }
  return containers > mostContainers || values > mostValues;
}

/** The JSON of an answer of somebody who may be hostile. Throws if it is none, or has many values. */
export function parseAnswer(text: string): unknown {
  if (hasManyValues(text)) throw new Error('the answer has too many values');
  return JSON.parse(text);
}

/** Headers of a request whose answer must not be compressed. */
export const uncompressed = { 'accept-encoding': 'identity' } as const;

/** Rejects if the answer is compressed, although it must not be: of that, nobody knows how long it is. */
export async function refuseCompressed({ body, headers }: Pick<Response, 'body' | 'headers'>): Promise<void> {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding === 'identity') return;
  await body?.cancel();
  throw new Error(`the answer is compressed (${encoding.slice(0, 20)}), although that was not asked for`);
}

/**
 * The text of an answer to a request with the headers `uncompressed`, or nothing if somebody gets its lines. Rejects if it has more than `mostAnswerBytes`
 * or, by lines, more than `readLines` reads, or is compressed all the same.
 */
export async function readAnswer(
  { body, headers }: Pick<Response, 'body' | 'headers'>,
  onLine?: OnLine,
): Promise<string> {
  await refuseCompressed({ body, headers });
  return body === null ? '' : await readWhole(body, onLine);
}
