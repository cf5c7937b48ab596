// In which state an object is, in one word, from its conditions.
import type { RawResource } from '../../api/definition.ts';
import type { Condition } from '../../api/shared-api.ts';
import { conditionOf, isHeld, readStatus } from '../../reconcile/resource/read-conditions.ts';
import type { WebState } from './answer.ts';

interface ObjectState {
  readonly state: WebState;
  /** Explains it; undefined of an object without a status. */
  readonly condition: Condition | undefined;
}

export function stateOf({ status }: Pick<RawResource, 'status'>): ObjectState {
  const read = readStatus(status);
  const isTrue = (type: string): Condition | undefined => {
    const found = conditionOf(read, type);
    return found?.status === 'True' ? found : undefined;
  };
  const ready = conditionOf(read, 'Ready');
  const [stalled, paused] = [isTrue('Stalled'), isTrue('Paused')];
  const [failed, complete] = [isTrue('Failed'), isTrue('Complete')];
  if (failed) return { state: 'Failed', condition: failed };
  if (complete) return { state: 'Succeeded', condition: complete };
  // First, as for the other readers: what is suspended may be as wanted, or wrong, all the same.
  if (isHeld(read)) return { state: 'Suspended', condition: ready };
  if (paused) return { state: 'Suspended', condition: paused };
  if (stalled) return { state: 'Stalled', condition: stalled };
  if (ready?.status === 'True') return { state: 'Ready', condition: ready };
  return { state: blockersIn(status).length > 0 ? 'Waiting' : 'Progressing', condition: ready };
}

/** `status.blockedOn`, whatever somebody wrote into it. */
export function blockersIn(status: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { blockedOn } = (status ?? {}) as { readonly blockedOn?: unknown };
  if (!Array.isArray(blockedOn)) return [];
  return blockedOn.filter((one): one is Readonly<Record<string, unknown>> => typeof one === 'object' && one !== null);
}
