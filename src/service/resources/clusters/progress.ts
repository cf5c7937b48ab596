// The provisioning steps of a cluster, as late upstream releases report them. PURE.
import type { Dialect } from '../../../wire/dialect.ts';
import type { ClusterReport } from '../../backends/provisioner.ts';
import { derivedId } from '../../model/records/identifiers.ts';
import { machinesOf, updateMachines } from '../../model/records/machines.ts';
import type { ClusterRecord, ProvisionStep, Work } from '../../model/records/records.ts';
import type { Fields } from '../views/job-view.ts';

interface ProgressKind {
  readonly name: string;
  /** One event for the cluster, or one for each new machine. */
  readonly of: 'cluster' | 'machines';
}

const made: ProgressKind = { name: 'Create Heat stack', of: 'cluster' };
const reached: ProgressKind = { name: 'Wait for instance accessibility', of: 'machines' };
const prepared: ProgressKind = { name: 'Configure instances', of: 'machines' };
const configured: ProgressKind = { name: 'Push configs to nodes', of: 'machines' };
const started: ProgressKind = { name: 'Start processes', of: 'machines' };

/** By operation and status: the type and the kind of the step. */
const steps: Readonly<
  Record<Work['operation'], Readonly<Record<string, readonly [type: string, kind: ProgressKind]>>>
> = {
  start: {
    Spawning: ['Engine: create cluster', made],
    Waiting: ['Engine: create cluster', reached],
    Preparing: ['Engine: create cluster', prepared],
    Configuring: ['Plugin: configure cluster', configured],
    Starting: ['Plugin: start cluster', started],
  },
  scale: {
    'Scaling: Spawning': ['Engine: scale cluster', made],
    'Scaling: Waiting': ['Engine: scale cluster', reached],
    'Scaling: Preparing': ['Engine: scale cluster', prepared],
    Configuring: ['Plugin: scale cluster', configured],
  },
  delete: {},
  repair: {},
};

/** Ends the step under way, if there is one, with its result. */
export function endStep(
  cluster: ClusterRecord,
  now: string,
  problem?: string,
): Pick<ClusterRecord, 'provision_progress'> {
  const { provision_progress } = cluster;
  if (provision_progress === undefined) return {};
  const ended = { successful: problem === undefined, updated_at: now, ...(problem !== undefined && { problem }) };
  return {
    provision_progress: provision_progress.map((step) =>
      step.successful === undefined ? { ...step, ...ended } : step,
    ),
  };
}

/** The machines that no earlier operation worked on. */
function newMachines({ provision_progress = [], ...cluster }: ClusterRecord): readonly string[] {
  const begin = provision_progress.findLastIndex(({ step_name }) => step_name === made.name);
  const known = new Set(provision_progress.slice(0, Math.max(begin, 0)).flatMap(({ machines }) => machines));
  return machinesOf(cluster)
    .map((machine) => machine.instance_id)
    .filter((id) => !known.has(id));
}

/** Ends the last step, and begins the step of the status if it has one. */
export function nextStep(
  cluster: ClusterRecord,
  at: { readonly work: Work; readonly status: string; readonly now: string },
): Pick<ClusterRecord, 'provision_progress'> {
  const { work, status, now } = at;
  const { provision_progress: before = [] } = endStep(cluster, now);
  const [type, kind] = steps[work.operation][status] ?? [];
  if (type === undefined || kind === undefined) return { provision_progress: before };
  const machines = kind.of === 'cluster' ? [] : newMachines(cluster);
  const total = kind.of === 'cluster' ? 1 : machines.length;
  if (total === 0) return { provision_progress: before };
  const id = derivedId(`${cluster.id} step ${before.length}`);
  const step: ProvisionStep = { id, step_name: kind.name, step_type: type, total, machines, created_at: now };
  return { provision_progress: [...before, step] };
}

/** A step that a provisioner reports. It ends the one before, and is of the same type. */
function beginStep(cluster: ClusterRecord, now: string, step_name: string): ClusterRecord {
  const { provision_progress: before = [] } = endStep(cluster, now);
  const id = derivedId(`${cluster.id} step ${before.length}`);
  const step_type = before.at(-1)?.step_type ?? 'Plugin';
  const step: ProvisionStep = { id, step_name, step_type, total: 1, machines: [], created_at: now };
  return { ...cluster, provision_progress: [...before, step] };
}

/** The cluster with what its provisioner reports: the addresses of a machine, a step (shown by late releases), a description. */
export function applyReport(
  cluster: ClusterRecord,
  now: string,
  dialect: Dialect,
  { machine, step, message }: ClusterReport,
): ClusterRecord {
  const known = machinesOf(cluster).find(({ instance_id }) => instance_id === machine?.instance_id);
  const addresses = { internal_ip: machine?.internal_ip, management_ip: machine?.management_ip };
  const placed = known === undefined ? cluster : updateMachines(cluster, now, [{ ...known, ...addresses }]);
  const stepped = step === undefined || dialect !== 'sahara' ? placed : beginStep(placed, now, step);
  return message === undefined ? stepped : { ...stepped, status_description: message, updated_at: now };
}

function eventsOf(cluster: ClusterRecord, step: ProvisionStep): readonly Fields[] {
  const { id, successful, problem = null, updated_at } = step;
  if (successful === undefined) return [];
  const event = (of: string, fields: Fields) => ({
    id: derivedId(`${id} ${of}`),
    step_id: id,
    ...fields,
    event_info: problem,
    successful,
    created_at: updated_at,
    updated_at: null,
  });
  if (step.machines.length === 0) return [event('', { node_group_id: null, instance_id: null, instance_name: null })];
  // Nothing is known any more about machines that were removed.
  return cluster.node_groups.flatMap((group) =>
    group.instances
      .filter(({ instance_id }) => step.machines.includes(instance_id))
      .map(({ instance_id, instance_name }) =>
        event(instance_id, { node_group_id: group.id, instance_id, instance_name }),
      ),
  );
}

/** The steps as they are answered. `withEvents`: with the events of each machine. */
export const showSteps = (cluster: ClusterRecord, tenant: string, withEvents = false): readonly Fields[] =>
  (cluster.provision_progress ?? []).map((step) => ({
    id: step.id,
    cluster_id: cluster.id,
    tenant_id: tenant,
    step_name: step.step_name,
    step_type: step.step_type,
    total: step.total,
    successful: step.successful ?? null,
    created_at: step.created_at,
    updated_at: step.updated_at ?? null,
    ...(withEvents && { events: eventsOf(cluster, step) }),
  }));
