// Takes the machines of a cluster out of use that a scale does not leave it.
import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/ports.ts';
import { Transient } from '../../model/disk/transient.ts';
import {
  forgetMachines,
  isLeaving,
  isUp,
  machinesOf,
  surplusMachines,
  updateMachines,
} from '../../model/records/machines.ts';
import type { ClusterRecord, Machine } from '../../model/records/records.ts';
import type { CallTarget, ProvisionerCalls } from './provisioner-calls.ts';

interface ShrinkInput extends CallTarget {
  readonly calls: ProvisionerCalls;
  readonly log: Log;
  readonly now: () => string;
  /** The cluster as it is by now. Undefined if it is gone. */
  readonly latest: () => ClusterRecord | undefined;
  readonly store: (cluster: ClusterRecord) => void;
}

/**
 * Drains surplus machines and removes them. Machines are forgotten when they are gone, and before the others are configured, which can fail. Resolves to the
 * machines that were removed.
 */
export async function shrink(shrinking: ShrinkInput): Promise<readonly Machine[]> {
  const begun = machinesOf(shrinking.record).filter(isLeaving);
  await remove(shrinking, begun);
  const record = shrinking.latest();
  const surplus = record === undefined ? [] : surplusMachines(record);
  if (record === undefined || surplus.length === 0) return begun;
  const at = { ...shrinking, record };
  // A machine without an address has not been launched.
  await drain(at, surplus.filter(isUp));
  await remove(at, surplus);
  return [...begun, ...surplus];
}

/** After a failure the machines stay in use, which the others have to know. */
async function drain({ calls, log, ...at }: ShrinkInput, machines: readonly Machine[]): Promise<void> {
  if (machines.length === 0) return;
  try {
    await calls.drain(at, machines);
  } catch (cause) {
    if (at.signal.aborted || cause instanceof Transient) throw cause;
    await calls.configure(at, { added: [], removed: [] }).catch((err: unknown) => {
      log.warn({ kind: 'Cluster', externalId: at.record.id, err }, 'cannot configure machines that stay');
    });
    throw cause;
  }
}

/** From the beginning of their removal on, the machines go even if a newer scale wants more: nobody knows what is left of them. */
async function remove(shrinking: ShrinkInput, machines: readonly Machine[]): Promise<void> {
  if (machines.length === 0) return;
  const { calls, record, signal, now } = shrinking;
  signal.throwIfAborted();
  const leaving = machines.map((machine) => ({ ...machine, leaving: true }));
  note(shrinking, 'machines leave', (cluster) => updateMachines(cluster, now(), leaving));
  await calls.remove(shrinking, machines, forgetMachines(record, now(), machines), 'cannot remove machines');
  note(shrinking, 'machines are gone', (cluster) => forgetMachines(cluster, now(), machines));
}

function note({ latest, store }: ShrinkInput, what: string, change: (cluster: ClusterRecord) => ClusterRecord): void {
  const cluster = latest();
  if (cluster === undefined) return;
  try {
    store(change(cluster));
  } catch (cause) {
    throw new Transient(`cannot store that ${what}: ${messageOf(cause)}`, { cause });
  }
}
