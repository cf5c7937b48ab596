// The effects of a sequence that only look at the service.
import { ServiceError } from '../wire/errors.ts';
import { routes } from '../wire/routes.ts';
import type { Answer } from './effects.ts';
import type { RemoteObject } from './kind.ts';
import { isAwaited, mentions } from './mentions.ts';
import type { Run } from './run.ts';

export function usable(run: Run) {
  if (run.service.state !== 'usable') throw new Error('cannot ask the service: it is not usable');
  return run.service.service;
}

/** Rethrows what is not the service's failure: a bug must not pass for an answer. */
export function serviceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

export async function observe(run: Run, sentAt: number): Promise<Answer> {
  const { acting, context, ports } = run;
  try {
    const wanted = { notBefore: sentAt, list: true, signal: context.signal };
    run.saw(acting, await usable(run).inventory.observe(routes[acting.route], wanted));
    return { of: 'observe', sentAt, at: ports.clock.monotonic() };
  } catch (error) {
    return { of: 'observe', sentAt, at: ports.clock.monotonic(), error: serviceError(error) };
  }
}

export async function survey(run: Run, sentAt: number): Promise<Answer> {
  // Before the lists: what is sent from now on is made with the current revision.
  const awaited = isAwaited(run);
  const answer = await observe(run, sentAt);
  const { error } = answer as { readonly error?: ServiceError };
  if (error) return { ...answer, of: 'survey', awaited, error };
  try {
    run.mentioned = await mentions(run, sentAt);
    return { of: 'survey', sentAt, at: run.ports.clock.monotonic(), awaited };
  } catch (failure) {
    return { of: 'survey', sentAt, at: run.ports.clock.monotonic(), awaited, error: serviceError(failure) };
  }
}

export async function sight(run: Run, id: string, sentAt: number): Promise<Answer> {
  const { acting, context, ports, memory } = run;
  try {
    const seen = await usable(run).inventory.sight(routes[acting.route], id, context.signal);
    if (seen.row) return { of: 'sight', sentAt, at: ports.clock.monotonic(), row: seen.row as RemoteObject };
    memory.goneGets = new Map([...(memory.goneGets ?? []), [id, seen.sentAt]]);
    return { of: 'sight', sentAt, at: ports.clock.monotonic() };
  } catch (error) {
    return { of: 'sight', sentAt, at: ports.clock.monotonic(), error: serviceError(error) };
  }
}
