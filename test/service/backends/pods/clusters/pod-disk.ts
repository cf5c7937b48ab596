// How much a pod can write, as its specification says it.

interface DiskContainer {
  readonly resources: Readonly<Record<'requests' | 'limits', { readonly 'ephemeral-storage'?: string }>>;
}
export interface PodSpec {
  readonly initContainers: readonly DiskContainer[];
  readonly containers: readonly DiskContainer[];
  readonly volumes: readonly { readonly emptyDir?: { readonly sizeLimit?: string } }[];
}

/** Of each folder and container. Undefined where nothing limits it. */
export function diskOf({ initContainers, containers, volumes }: PodSpec) {
  const all = [...initContainers, ...containers];
  const of = (which: 'requests' | 'limits') => all.map(({ resources }) => resources[which]['ephemeral-storage']);
  const folders = volumes.flatMap(({ emptyDir }) => (emptyDir === undefined ? [] : [emptyDir.sizeLimit]));
  return { folders, requests: of('requests'), limits: of('limits') };
}
