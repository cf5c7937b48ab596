// The parts of the process, as the lifecycle starts and stops them.
import type { Clock } from '../../lib/ports.ts';
import { until } from '../../lib/timing/wait.ts';
import type { Controller } from '../controller/controller.ts';
import { abortedMs } from '../controller/queue/queue.ts';
import type { HealthServer } from './health-server.ts';
import type { Part } from './process-lifecycle.ts';

/** Reserved for the answer of a drain that had to abort passes. */
const answerMs = 100;
const pollMs = 50;

export function healthPart(server: HealthServer): Part {
  return { name: 'health server', start: async () => void (await server.start()), stop: () => server.stop() };
}

/** It listens before the caches are synced, and answers that they are not. */
export function webPart(server: { start(): Promise<void>; stop(): Promise<void> }): Part {
  return { name: 'page', start: () => server.start(), stop: () => server.stop() };
}

/** Has started once the first list of every kind has arrived. */
export function cachesPart(synced: (kind: string) => boolean, kinds: readonly string[], clock: Clock): Part {
  const start = (signal: AbortSignal) => until(() => kinds.every(synced), { clock, everyMs: pollMs, signal });
  return { name: 'caches', start };
}

interface Candidate {
  /** Resolves when this replica leads or the signal aborts. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Releases the lease if nothing writes any more, or returns why not. */
  stop(idle: boolean): Promise<string | undefined>;
}

/** Has started once this replica leads, which may be never. The parts after it run only on the leader. */
export function leasePart(candidate: Candidate, idle: () => boolean): Part {
  return { name: 'lease', start: (signal) => candidate.acquire(signal), stop: () => candidate.stop(idle()) };
}

/** Stops by draining: running passes may use all the time except for what an aborted pass needs to end. */
export function controllerPart(name: string, controller: Pick<Controller, 'start' | 'drain'>): Part {
  const stop = async (leftMs: number) => {
    const hung = await controller.drain(Math.max(0, leftMs - abortedMs - answerMs));
    return hung.length === 0 ? undefined : `these reconciliations did not end: ${hung.join(', ')}`;
  };
  return { name, start: () => controller.start(), stop };
}
