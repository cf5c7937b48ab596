// The parts of the process that this folder knows, as the lifecycle wants them.
import type { Clock } from '../../lib/ports.ts';
import { until } from '../../lib/within.ts';
import type { Controller } from '../controller/controller.ts';
import { ABORTED_MS } from '../controller/queue/queue.ts';
import type { HealthServer } from './health.ts';
import type { Part } from './lifecycle.ts';

/** Kept of the time to drain, so that the answer of a drain that had to abort still comes in time. */
const ANSWER_MS = 100;
const LOOK_EVERY_MS = 50;

export function healthPart(server: HealthServer): Part {
  return { name: 'health server', start: async () => void (await server.start()), stop: () => server.stop() };
}

/** Has started when the first list of every kind has arrived. */
export function cachesPart(synced: (kind: string) => boolean, kinds: readonly string[], clock: Clock): Part {
  const start = (signal: AbortSignal) => until(() => kinds.every(synced), { clock, everyMs: LOOK_EVERY_MS, signal });
  return { name: 'caches', start };
}

interface Candidate {
  /** Resolves when this replica leads, or when the signal is aborted. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Gives the lease back if nothing writes any more. May answer with why not. */
  stop(idle: boolean): Promise<string | undefined>;
}

/** Has started when this replica leads, which may be never; what is after it belongs to the leader. */
export function leasePart(candidate: Candidate, idle: () => boolean): Part {
  return { name: 'lease', start: (signal) => candidate.acquire(signal), stop: () => candidate.stop(idle()) };
}

/** Stops by draining: what runs may use all the time there is to end by itself, but for the second that an aborted pass gets. */
export function controllerPart(name: string, controller: Pick<Controller, 'start' | 'drain'>): Part {
  const stop = async (leftMs: number) => {
    const hung = await controller.drain(Math.max(0, leftMs - ABORTED_MS - ANSWER_MS));
    return hung.length === 0 ? undefined : `passes did not end: ${hung.join(', ')}`;
  };
  return { name, start: () => controller.start(), stop };
}
