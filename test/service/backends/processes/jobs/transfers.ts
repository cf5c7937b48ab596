// Transfers whose answers a test makes.
import { systemClock } from '../../../../../src/lib/system.ts';
import type { Transfer } from '../../../../../src/service/backends/runs/transfer.ts';

type Answer = readonly [status: number, text: string];

export const transferOf = (
  answer: (url: string, headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Transfer => ({
  signal: new AbortController().signal,
  clock: systemClock,
  async get(url, { headers }) {
    const [status, text] = await answer(url, headers);
    return { status, bytes: chunksOf(text) };
  },
});

async function* chunksOf(text: string) {
  yield Buffer.from(text);
}
