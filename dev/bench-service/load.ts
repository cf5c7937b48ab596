// Sends requests to the service with a fixed concurrency, and measures the time of each.
import { Agent, type Dispatcher, request } from 'undici';

export interface Load {
  readonly url: string;
  readonly parallel: number;
}

export interface Loaded {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly milliseconds: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface Sending {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** Throws when one is answered otherwise than with 2xx. */
export async function send(url: string, { method, path, body }: Sending, dispatcher?: Dispatcher): Promise<string> {
  const answer = await request(url + path, {
    method,
    ...(dispatcher && { dispatcher }),
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`cannot ${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}

/** As many as `count`; each is made when it is its turn. */
export async function load({ url, parallel }: Load, count: number, make: (index: number) => Sending): Promise<Loaded> {
  const agent = new Agent({ connections: parallel });
  const took: number[] = [];
  let next = 0;
  const begun = performance.now();
  const one = async (): Promise<void> => {
    while (next < count) {
      const sending = make(next++);
      const at = performance.now();
      await send(url, sending, agent);
      took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  const seconds = (performance.now() - begun) / 1000;
  await agent.close();
  return { requests: count, seconds, perSecond: count / seconds, milliseconds: quantiles(took) };
}

export function quantiles(values: readonly number[]): Loaded['milliseconds'] {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
