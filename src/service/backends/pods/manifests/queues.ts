// What Kueue admits of node groups: https://kueue.sigs.k8s.io/docs/tasks/run/statefulset/. PURE.
import { findFlavor } from '../../../engines/flavors.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { OfferedFlavor } from '../../flavors-file.ts';
import type { KubeObject, Made } from '../api/api.ts';
import { queueLabel } from '../api/names.ts';

/** Throws an Error with the remedy if a group gets another size than Kueue has admitted. */
export function checkQueues({ node_groups }: ClusterRecord, flavors: readonly OfferedFlavor[]): void {
  for (const { name, count, instances, flavor_id } of node_groups) {
    const { queue } = findFlavor(flavors, flavor_id);
    const isResized = instances.length > 0 && count > 0 && count !== instances.length;
    if (queue !== undefined && isResized)
      throw new Error(
        `group ${name} waits in queue ${queue} of Kueue, which admits it with ${instances.length} machines and no other number: add a group for more of them, or create the cluster again`,
      );
  }
}

/** The labels of an object that waits in the queue, if there is one. Its pods do not have it: each would wait once more, by itself. */
export const labelsInQueue = (
  labels: Readonly<Record<string, string>> | undefined,
  queue: string | undefined,
): Readonly<Record<string, string>> => ({ ...labels, ...(queue !== undefined && { [queueLabel]: queue }) });

interface Templated {
  readonly spec: { readonly template?: { readonly spec?: unknown } };
}

/** The StatefulSet with what Kueue lets nobody change: its queue, and the pods that it has admitted. */
export function asAdmitted(wanted: Made, existing: KubeObject & Templated): Made {
  const { [queueLabel]: _queue, ...labels } = wanted.metadata.labels ?? {};
  const queue = existing.metadata.labels?.[queueLabel];
  const { template, ...spec } = wanted['spec'] as Templated['spec'];
  return {
    ...wanted,
    metadata: { ...wanted.metadata, labels: labelsInQueue(labels, queue) },
    spec: { ...spec, template: { ...template, spec: existing.spec.template?.spec } },
  };
}
