// Checks readiness by the rule of `kubectl wait`, and describes objects that are not Ready.
import { type Condition, type Found, type Manifest, type Objects, titleOf } from './manifests.ts';
import { type Bound, NotYet, waitUntil } from './waiting.ts';

/** Our own kinds have one; the Secrets beside them have none. */
export const hasStatus = ({ apiVersion }: Manifest): boolean => apiVersion.startsWith('dataprocessing.dev/');

export const conditionOf = ({ status }: Found, type: string): Condition | undefined =>
  status?.conditions?.find((each) => each.type.toLowerCase() === type.toLowerCase());

/** The condition's own generation counts, else that of the status; a lower one than the object's is yesterday's news. */
export function isReady(object: Found): boolean {
  const ready = conditionOf(object, 'Ready');
  const seen = ready?.observedGeneration ?? object.status?.observedGeneration ?? object.metadata.generation;
  return ready?.status === 'True' && seen >= object.metadata.generation;
}

/** One line: title, condition, message. */
export function describe(object: Found): string {
  const { status, metadata } = object;
  const ready = conditionOf(object, 'Ready');
  if (ready === undefined) return `${titleOf(object)}: no status yet`;
  const stale = (status?.observedGeneration ?? -1) < metadata.generation ? ' (of an earlier spec)' : '';
  return `${titleOf(object)}: Ready=${ready.status} ${ready.reason}${stale}: ${ready.message}`;
}

/** One line for each manifest, also for those that are not there. */
export async function describeAll(objects: Objects, manifests: readonly Manifest[]): Promise<readonly string[]> {
  return Promise.all(
    manifests.map(async (manifest) => {
      const found = await objects.read(manifest);
      return found === undefined ? `${titleOf(manifest)}: not there` : describe(found);
    }),
  );
}

/** The objects, once all are Ready. */
export async function waitForReady(
  objects: Objects,
  manifests: readonly Manifest[],
  bound: Bound,
): Promise<readonly Found[]> {
  const probe = async () => {
    const found = await Promise.all(manifests.map(async (manifest) => objects.read(manifest)));
    const ready = found.filter((object) => object !== undefined).filter(isReady);
    if (ready.length === manifests.length) return ready;
    return new NotYet(`${ready.length} of ${manifests.length} are Ready`);
  };
  return waitUntil('see all objects Ready', probe, bound);
}

export async function waitForGone(objects: Objects, manifests: readonly Manifest[], bound: Bound): Promise<void> {
  const probe = async () => {
    const found = await Promise.all(manifests.map(async (manifest) => objects.read(manifest)));
    const left = found.filter((object) => object !== undefined).map(titleOf);
    return left.length === 0 || new NotYet(`left: ${left.join(', ')}`);
  };
  await waitUntil('see all objects gone', probe, bound);
}
