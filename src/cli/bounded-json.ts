// Reads an answer as JSON, bounded in size.
import type { OpenAnswer } from '../kube/http/transport.ts';

export interface JsonAnswer {
  readonly status: number;
  /** What the clock of the server shows, in Unix ms. */
  readonly date: number | undefined;
  /** Undefined if the answer is not JSON. */
  readonly value: unknown;
}

const mostBytes = 64 * 1024 ** 2;

/** Rejects if the answer is longer than 64 MiB, or breaks off. */
export async function jsonOf({ status, date, bytes }: OpenAnswer): Promise<JsonAnswer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > mostBytes) throw new Error(`the answer is longer than ${mostBytes / 1024 ** 2} MiB`);
    parts.push(part);
  }
  const at = Date.parse(date ?? '');
  return { status, date: Number.isNaN(at) ? undefined : at, value: parsed(Buffer.concat(parts).toString()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
