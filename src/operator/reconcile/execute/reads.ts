// The effects that only read the service.
import { ServiceError } from '../../../wire/errors/service-error.ts';
import { routes } from '../../../wire/routes.ts';
import type { ObjectKind, RemoteObject } from '../kind/kind.ts';
import { isAwaited, listReferencedIds } from '../observe/referrers.ts';
import type { PassState } from '../pass-state.ts';
import type { EffectAnswer } from '../protocol/effects.ts';

export function usable(pass: PassState) {
  if (pass.service.state !== 'usable') throw new Error('cannot ask the service: it is not usable');
  return pass.service.service;
}

/** Rethrows anything but a failure of the service: a bug must not pass for an answer. */
export function serviceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

export async function observe(pass: PassState, kind: ObjectKind, sentAt: number): Promise<EffectAnswer> {
  const { clock } = pass.ports;
  try {
    await list(pass, kind, sentAt);
    return { of: 'observe', sentAt, at: clock.monotonic() };
  } catch (error) {
    return { of: 'observe', sentAt, at: clock.monotonic(), error: serviceError(error) };
  }
}

/** Milliseconds that the next LIST of the kind has to wait; 0 or less: none. */
export function listRestMs(pass: PassState, kind: ObjectKind): number {
  return usable(pass).inventory.restMs(routes[kind.route]);
}

async function list(pass: PassState, kind: ObjectKind, notBefore: number): Promise<void> {
  const { context } = pass;
  const wanted = { notBefore, signal: context.signal };
  pass.observed(kind, await usable(pass).inventory.observe(routes[kind.route], wanted));
}

export async function listReferrers(pass: PassState, kind: ObjectKind, sentAt: number): Promise<EffectAnswer> {
  // Before the lists: whatever is sent from now on uses the current revision.
  const awaited = await isAwaited(pass);
  const { clock } = pass.ports;
  // Whatever the lists show, nothing is deleted before that request has ended.
  if (awaited) return { of: 'list-referrers', sentAt, at: clock.monotonic(), awaited };
  // With many resources this takes a while: a list from before its end may lack what has come true meanwhile.
  const notBefore = clock.monotonic();
  try {
    await list(pass, kind, notBefore);
    pass.referencedIds = await listReferencedIds(pass, kind, { notBefore });
    return { of: 'list-referrers', sentAt, at: clock.monotonic(), awaited };
  } catch (error) {
    return { of: 'list-referrers', sentAt, at: clock.monotonic(), awaited, error: serviceError(error) };
  }
}

export async function getById(
  pass: PassState,
  kind: ObjectKind,
  { id, sentAt }: { readonly id: string; readonly sentAt: number },
): Promise<EffectAnswer> {
  const { context, ports, memory } = pass;
  try {
    const seen = await usable(pass).inventory.getById(routes[kind.route], id, context.signal);
    if (seen.row) return { of: 'get-by-id', sentAt, at: ports.clock.monotonic(), row: seen.row as RemoteObject };
    memory.goneGets = new Map([...(memory.goneGets ?? []), [id, seen.sentAt]]);
    return { of: 'get-by-id', sentAt, at: ports.clock.monotonic() };
  } catch (error) {
    return { of: 'get-by-id', sentAt, at: ports.clock.monotonic(), error: serviceError(error) };
  }
}
