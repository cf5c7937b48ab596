// What a change of the cache is worth: whether it concerns the object itself, and how urgent it is.
import type { ResourceChange } from '../reconcile/ports.ts';
import type { Priority } from './queue/due.ts';

/** An object of any kind, as the cache holds it. */
export type Resource = NonNullable<ResourceChange['current']>;

/**
 * True when the object itself must be looked at: it is new, gone or another one of the same name, or a user changed what counts.
 * Our own writes of status are no changes here; what somebody else wrote there is put right. Labels and the other annotations mean
 * nothing to a pass.
 */
export function concernsItself({ previous, current }: ResourceChange, annotations: readonly string[]): boolean {
  if (previous === undefined || current === undefined) return previous !== current;
  if (isAsked({ previous, current }, annotations)) return true;
  const [before, after] = [previous.metadata.finalizers, current.metadata.finalizers];
  return before?.join() !== after?.join() || JSON.stringify(previous.status) !== JSON.stringify(current.status);
}

/** True when it is another object, or somebody wants something else of it than before: the rest only we are to write. */
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

/** Secrets have no generation: there every write counts. */
function versionOf({ generation, resourceVersion }: Resource['metadata']): number | string {
  return (generation as number | undefined) ?? resourceVersion;
}

export function urgencyOf({ current, initial }: ResourceChange): Priority {
  return initial && current?.metadata.deletionTimestamp === undefined ? 'poll' : 'change';
}

/** `factsOf` says of an object, as text, what those who refer to it can see of it. */
export function concernsDependents(
  { previous, current }: ResourceChange,
  factsOf: (resource: Resource) => string,
): boolean {
  if (previous === undefined || current === undefined) return previous !== current;
  return previous.metadata.uid !== current.metadata.uid || factsOf(previous) !== factsOf(current);
}
