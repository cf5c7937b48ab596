// What a change of the cache means: whether it concerns the object itself, and how urgent it is.
import type { ResourceChange } from '../reconcile/pass-ports.ts';
import type { Priority } from './queue/due.ts';

/** An object of any kind, as the cache holds it. */
export type Resource = NonNullable<ResourceChange['current']>;

/**
 * True when the object itself must be reconciled: it is new, gone, or another one of the same name, or a user changed what matters.
 * Our own writes of status do not count; what somebody else wrote there is corrected. Labels and other annotations mean nothing
 * to a pass.
 */
export function concernsItself({ previous, current }: ResourceChange, annotations: readonly string[]): boolean {
  if (previous === undefined || current === undefined) return previous !== current;
  if (isAsked({ previous, current }, annotations)) return true;
  const [before, after] = [previous.metadata.finalizers, current.metadata.finalizers];
  return before?.join() !== after?.join() || JSON.stringify(previous.status) !== JSON.stringify(current.status);
}

/** True when it is another object, or a user changed it: the rest only the operator should write. */
export function isAsked(
  { previous, current }: Pick<ResourceChange, 'previous' | 'current'>,
  annotations: readonly string[],
): boolean {
  if (previous === undefined || current === undefined) return previous !== current;
  const [before, after] = [previous.metadata, current.metadata];
  return (
    before.uid !== after.uid ||
    versionOf(before) !== versionOf(after) ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    annotations.some((name) => before.annotations?.[name] !== after.annotations?.[name])
  );
}

/** Secrets have no generation: every write counts. */
function versionOf({ generation, resourceVersion }: Resource['metadata']): number | string {
  return (generation as number | undefined) ?? resourceVersion;
}

export function urgencyOf({ current, initial }: ResourceChange): Priority {
  return initial && current?.metadata.deletionTimestamp === undefined ? 'poll' : 'change';
}

/** `factsOf` returns, as text, what dependents can see of an object. */
export function concernsDependents(
  { previous, current }: ResourceChange,
  factsOf: (resource: Resource) => string,
): boolean {
  if (previous === undefined || current === undefined) return previous !== current;
  return previous.metadata.uid !== current.metadata.uid || factsOf(previous) !== factsOf(current);
}
