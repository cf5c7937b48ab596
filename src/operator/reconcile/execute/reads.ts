// The effects of a sequence that only look at the service.
import { ServiceError } from '../../../wire/errors/errors.ts';
import { routes } from '../../../wire/routes.ts';
import type { RemoteObject } from '../kind.ts';
import { isAwaited, mentions } from '../observe/referrers.ts';
import type { Run } from '../pass-state.ts';
import type { Answer } from '../protocol/effects.ts';

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
  const { clock } = run.ports;
  try {
    await list(run, sentAt);
    return { of: 'observe', sentAt, at: clock.monotonic() };
  } catch (error) {
    return { of: 'observe', sentAt, at: clock.monotonic(), error: serviceError(error) };
  }
}

async function list(run: Run, notBefore: number): Promise<void> {
  const { acting, context } = run;
  const wanted = { notBefore, list: true, signal: context.signal };
  run.saw(acting, await usable(run).inventory.observe(routes[acting.route], wanted));
}

export async function survey(run: Run, sentAt: number): Promise<Answer> {
  // Before the lists: what is sent from now on is made with the current revision.
  const awaited = await isAwaited(run);
  const { clock } = run.ports;
  // Looking takes a while where there are many: a list from before its end may lack what has come true meanwhile.
  const notBefore = clock.monotonic();
  try {
    await list(run, notBefore);
    run.mentioned = await mentions(run, notBefore);
    return { of: 'survey', sentAt, at: clock.monotonic(), awaited };
  } catch (error) {
    return { of: 'survey', sentAt, at: clock.monotonic(), awaited, error: serviceError(error) };
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
