// What must hold of every version that anybody could have seen, whatever happens to the object meanwhile.
import type { RawResource } from '../../src/operator/api/definition.ts';
import { fieldManagers, finalizer, ledgerAnnotation, scaledByAnnotation } from '../../src/operator/api/shared-api.ts';
import { judgeStatus, statusOf } from '../operator/kinds/support/invariants.ts';
import { describeVersion, type History } from './recorder.ts';
import { type Cells, cellsOf } from './rows.ts';

/** What is wrong with any version of an object, one line each. `smooth`: nothing was in its way, so that it never failed. */
export function judgeHistory({ kind, name, versions }: History, smooth: boolean): readonly string[] {
  return versions.flatMap((now, index) => {
    const before = versions[index - 1];
    const problems = [
      ...judgeStatus(now, before),
      ...judgeReaders(now),
      ...judgeOwner(now),
      ...(smooth ? judgeSmooth(now, before) : []),
    ];
    return problems.map((problem) => `${kind} ${name}: ${problem}: ${describeVersion(now)}`);
  });
}

const conditionOf = (resource: RawResource, type: string) =>
  statusOf(resource).conditions?.find((one) => one.type === type);

/** The three readers agree, and none believes in a Ready that is not of this very spec. */
function judgeReaders(now: RawResource): readonly string[] {
  const { generation, deletionTimestamp } = now.metadata;
  const cells = cellsOf(now);
  const ready = conditionOf(now, 'Ready');
  const { observedGeneration } = statusOf(now);
  if (observedGeneration === undefined) return ['a status without observedGeneration: a newborn would pass for done'];
  if (deletionTimestamp !== undefined) return cells.wait === 'waits' ? [] : ['Ready while it is being deleted'];
  const fit = ready?.status === 'True' && ready.observedGeneration === generation && observedGeneration === generation;
  // What its user suspended may be as wanted.
  const isPaused = conditionOf(now, 'Paused') !== undefined || ready?.reason === 'Suspended';
  const content = ready?.status === 'True' && isPaused ? 'Suspended' : 'Healthy';
  const believed = [cells.wait === 'met', cells.kstatus === 'Current', cells.argo === content];
  return [
    ...(believed.every((one) => one === fit)
      ? []
      : [`the readers do not agree with it or each other: ${shown(cells)}`]),
    ...((cells.kstatus === 'Failed') === (cells.argo === 'Degraded')
      ? []
      : [`Flux and Argo CD differ: ${shown(cells)}`]),
    ...judgeAbnormal(now),
  ];
}

/** What is not Ready is being worked on or needs somebody, and what is Ready is neither. */
function judgeAbnormal(now: RawResource): readonly string[] {
  const ready = conditionOf(now, 'Ready');
  if (ready === undefined || ready.reason === 'Pending') return [];
  const abnormal = ['Reconciling', 'Stalled'].filter((type) => conditionOf(now, type) !== undefined);
  // Nobody works on what is suspended or waits for approval, and nothing is wrong with it.
  const isPaused = ready.reason === 'Suspended' && conditionOf(now, 'Paused') !== undefined;
  // What expired is not Ready, and is as wanted.
  const isHeld = isPaused || ready.reason === 'PlanPending' || ready.reason === 'Expired';
  const wanted = ready.status === 'True' || isHeld ? 0 : 1;
  return abnormal.length === wanted
    ? []
    : [`Ready=${ready.status} together with ${abnormal.join(' and ') || 'neither'}`];
}

const shown = ({ wait, kstatus, argo }: Cells): string => `kubectl ${wait}, Flux ${kstatus}, Argo CD ${argo}`;

/** A NodeGroup has the count of one of its groups, and changes it without an edit of the Cluster. */
const isScaledByOthers = (cluster: RawResource): boolean =>
  statusOf(cluster).nodeGroups?.some(({ scaledBy }) => scaledBy !== undefined) ?? false;

/** Where nothing is wrong, nobody is told that something is, and what is done for a spec stays done. */
function judgeSmooth(now: RawResource, before: RawResource | undefined): readonly string[] {
  const word = cellsOf(now).kstatus;
  if (word === 'Failed') return ['failed on the way'];
  if (before === undefined || before.metadata.generation !== now.metadata.generation || isScaledByOthers(now))
    return [];
  return cellsOf(before).kstatus === 'Current' && word === 'InProgress' ? ['done, and then not any more'] : [];
}

interface ManagedFields {
  readonly manager: string;
  readonly subresource?: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}

/** What GitOps tools compare is the user's: of it we own the finalizer and one annotation, and in a Cluster what a NodeGroup left there. */
const ours: Readonly<Record<string, readonly string[]>> = {
  [fieldManagers.claims]: [
    'metadata.annotations',
    `metadata.annotations.${ledgerAnnotation}`,
    'metadata.finalizers',
    `metadata.finalizers."${finalizer}"`,
  ],
  [fieldManagers.scale]: [`metadata.annotations.${scaledByAnnotation}`, 'spec.nodeGroups.{"name":"worker"}.count'],
};

function judgeOwner(now: RawResource): readonly string[] {
  const { managedFields = [] } = now.metadata as { managedFields?: readonly ManagedFields[] };
  return managedFields
    .filter(({ manager, subresource }) => manager.startsWith('dataprocessing-operator') && subresource === undefined)
    .flatMap(({ manager, fieldsV1 }) => {
      const strange = pathsOf(fieldsV1).filter((path) => !ours[manager]?.includes(path));
      return strange.map((path) => `${manager} owns ${path}`);
    });
}

/** `f:metadata: {f:finalizers: {.: {}, v:"a": {}}}` as paths. */
function pathsOf(fields: Readonly<Record<string, unknown>>, prefix = ''): readonly string[] {
  return Object.entries(fields).flatMap(([key, below]) => {
    if (key === '.') return [prefix];
    const path = [prefix, key.slice(2)].filter(Boolean).join('.');
    const deeper = pathsOf(below as Readonly<Record<string, unknown>>, path);
    return deeper.length === 0 ? [path] : deeper;
  });
}
