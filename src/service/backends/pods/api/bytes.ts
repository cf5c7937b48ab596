// Answers of the API server that are read as they come.

/** More than any refusal has. */
const mostBytes = 64 * 1024;

/** The beginning of the answer, which is all of a refusal. */
export async function beginning(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > mostBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
