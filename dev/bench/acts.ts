// What phases have in common: many requests of the user, when each was seen to come true, and a rest.
import { setTimeout as pause } from 'node:timers/promises';
import type { Found } from '../demo/manifests.ts';
import { NotYet, waitUntil } from '../demo/waiting.ts';
import { inParallel, type Moments } from './client.ts';
import type { Stage } from './stage.ts';
import { connectionPath } from './workload.ts';

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Done {
  readonly seconds: number;
  /** Until the last request of the user was answered. */
  readonly submitSeconds?: number;
  /** From the user's request for an object until it was seen to come true. */
  readonly latencySeconds?: Latencies;
}

export const longestMs = 60 * 60_000;
const countedMs = 3 * 60_000;

export interface Sent {
  readonly begun: number;
  /** When the last request was answered. */
  readonly submitted: number;
  /** When each request was sent, by the name of its object. */
  readonly at: Moments;
}

/** One request for each name. */
export async function sendAll(
  names: readonly string[],
  parallel: number,
  send: (name: string, index: number) => Promise<unknown>,
): Promise<Sent> {
  const at = new Map<string, number>();
  const begun = performance.now();
  await inParallel([...names.entries()], parallel, async ([index, name]) => {
    at.set(name, performance.now());
    await send(name, index);
  });
  return { begun, submitted: performance.now(), at };
}

export function doneOf(sent: Sent, seen: Moments): Done {
  return {
    seconds: (Math.max(...seen.values()) - sent.begun) / 1000,
    submitSeconds: (sent.submitted - sent.begun) / 1000,
    latencySeconds: latenciesOf(sent, seen),
  };
}

export function latenciesOf({ at: sent }: Sent, seen: Moments): Latencies {
  const sorted = [...seen].map(([name, at]) => (at - (sent.get(name) ?? at)) / 1000).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The Connection counts what there is a few seconds after the last change: until then what was done before is not at its end. */
export async function waitForCount({ client, ended }: Stage, wanted: number): Promise<void> {
  const probe = async () => {
    const { status } = (await client.transport.request({ method: 'GET', path: connectionPath })) as Found;
    const count = status?.['managedCount'];
    return count === wanted ? wanted : new NotYet(`the Connection counts ${String(count)} of ${wanted} objects`);
  };
  await waitUntil('see everything counted', probe, { withinMs: countedMs, everyMs: 1_000, signal: ended });
}

/** The user does nothing for a while. */
export async function rest({ options, ended }: Stage): Promise<Done> {
  await pause(options['idle-seconds'] * 1000, undefined, { signal: ended });
  return { seconds: options['idle-seconds'] };
}
