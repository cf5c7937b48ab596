// What is done at the end of a stage of an operation on a cluster.
import type { Clock, Random } from '../../lib/ports.ts';
import { createId, timestamp } from '../records/identifiers.ts';
import type { ClusterRecord, Machine } from '../records/records.ts';
import {
  dropEmptied,
  forgetMachines,
  isUp,
  machinesOf,
  nameMachines,
  surplusMachines,
  updateMachines,
} from './machines.ts';
import type { MachineOrder, Provisioner } from './provisioner.ts';
import type { StageAction } from './stages.ts';

/** What has come of it, for the cluster as it is by then: what does not concern the work may have changed in the meantime. */
export type Effect = ((cluster: ClusterRecord) => ClusterRecord) | 'gone';

export const unchanged: Effect = (cluster) => cluster;

/** Machines were not taken down. They must not be forgotten, so this fails no operation: it is tried again until they are gone. */
export class NotRemoved extends Error {}

/** Rejects with `NotRemoved` and nothing else. */
export async function takeDown(
  provisioner: Provisioner,
  order: MachineOrder,
  machines: readonly Machine[],
): Promise<void> {
  try {
    await provisioner.remove(order, machines);
  } catch (cause) {
    throw new NotRemoved(messageOf(cause), { cause });
  }
}

/** What users get to see of a rejection. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

interface ActionContext {
  readonly provisioner: Provisioner;
  readonly clock: Clock;
  readonly random: Random;
}

/** Rejects with what the provisioner rejects with, or with `NotRemoved`. */
export async function perform(
  { provisioner, clock, random }: ActionContext,
  order: MachineOrder,
  deed: StageAction,
): Promise<Effect> {
  const { cluster: before } = order;
  switch (deed) {
    case 'nothing':
      return unchanged;
    case 'name':
      return (cluster) => nameMachines(cluster, timestamp(clock), () => createId(random));
    case 'launch': {
      const down = machinesOf(before).filter((machine) => !isUp(machine));
      const launched = await provisioner.launch(order, down);
      return (cluster) => updateMachines(cluster, timestamp(clock), launched);
    }
    case 'configure': {
      const info = await provisioner.configure(order);
      return (cluster) => ({ ...cluster, info });
    }
    case 'shrink': {
      const surplus = surplusMachines(before);
      if (surplus.length === 0) return unchanged;
      await takeDown(provisioner, order, surplus);
      return (cluster) => forgetMachines(cluster, timestamp(clock), surplus);
    }
    case 'drop':
      return dropEmptied;
    case 'vanish':
      await takeDown(provisioner, order, machinesOf(before));
      return 'gone';
  }
}
