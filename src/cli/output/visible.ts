// Text of others without the control characters that could reprogram a terminal: jobs print what they have read. PURE.

/** Controls but tabs and ends of lines, with those of eight bits; and what changes the direction of the text after it. */
const hidden = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu;

export function visible(text: string): string {
  return text.replace(hidden, '?');
}

/** A character may be split between two parts. Bytes that are no UTF-8 are replaced too. */
export async function* visibleParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const part of parts) yield Buffer.from(visible(decoder.decode(part, { stream: true })));
  yield Buffer.from(visible(decoder.decode()));
}
