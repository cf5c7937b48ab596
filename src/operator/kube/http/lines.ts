// Parses a stream of JSON lines.
import { ApiError } from '../api-error.ts';

const newline = 0x0a;

/** Throws ApiError `unreachable` for a line that is not JSON and for a stream that ends within a line. Skips empty lines. */
export async function* parseLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
      if (line.length > 0) yield parse(line);
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) throw new ApiError('unreachable', 'cannot read a stream: it ended in the middle of a line');
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    // No cause: a SyntaxError quotes the text, which may contain a Secret.
    throw new ApiError('unreachable', `cannot read a stream: a line of ${line.length} bytes is not JSON`);
  }
}
