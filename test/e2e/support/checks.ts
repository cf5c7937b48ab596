// What the tests look for on both sides.
import { expect } from 'vitest';
import type { Manifest, Objects } from '../../../dev/demo/manifests.ts';
import { hasStatus, waitForGone, waitForReady } from '../../../dev/demo/readiness.ts';
import { countsOf, listEverything, listRemote, type RemoteObject, type Tenant } from '../../../dev/demo/remote.ts';
import { limitMs } from '../../support/patience.ts';
import type { Bench } from './bench.ts';

/** More than any step takes on a busy machine; a step that needs it all is broken. */
const bound = { withinMs: limitMs } as const;

export async function applyAll(objects: Objects, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await objects.apply(manifest);
}

export async function removeAll(objects: Objects, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await objects.remove(manifest);
}

export const untilReady = async (objects: Objects, manifests: readonly Manifest[]) =>
  waitForReady(objects, manifests.filter(hasStatus), bound);

export const untilGone = async (objects: Objects, manifests: readonly Manifest[]) =>
  waitForGone(objects, manifests, bound);

export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** By the name in Kubernetes; an object of the service that none of them claims is there under its own name. */
export async function remoteCounts(bench: Bench, tenant: Tenant): Promise<Counts> {
  const clusters = (await bench.examples('')).filter(({ kind }) => kind === 'Cluster');
  const found = await Promise.all(clusters.map(async (manifest) => bench.objects.read(manifest)));
  const names = new Map(found.map((object) => [object?.status?.id, object?.metadata.name]));
  const rows = await listRemote(tenant, 'clusters');
  return Object.fromEntries(rows.map((row) => [names.get(row.id) ?? row.name, countsOf(row)]));
}

export const asExamplesSay: Counts = {
  analytics: { master: 1, worker: 3 },
  scratch: { head: 1, worker: 1 },
};

/** Both clusters, one cluster template and two node group templates, and nothing else. */
export async function expectOneOfEach(tenant: Tenant): Promise<void> {
  const all = await listEverything(tenant);
  expect(all.map((line) => line.replace(/-[a-z0-9]{12,}$/, '')).toSorted()).toEqual([
    'cluster-templates small',
    'clusters analytics',
    'clusters scratch',
    'node-group-templates master',
    'node-group-templates worker',
  ]);
}

export async function expectNothing(tenant: Tenant): Promise<void> {
  expect(await listEverything(tenant)).toEqual([]);
}

export function cluster(manifests: readonly Manifest[], name: string): Manifest {
  const found = manifests.find(({ kind, metadata }) => kind === 'Cluster' && metadata.name === name);
  if (found === undefined) throw new Error(`cannot find Cluster ${name} in the examples`);
  return found;
}

/** The manifest with these groups in place of its own. */
export function withGroups(manifest: Manifest, nodeGroups: readonly object[]): Manifest {
  return { ...manifest, spec: { ...(manifest['spec'] as object), nodeGroups } };
}

export async function remoteCluster(tenant: Tenant, id: string | undefined): Promise<RemoteObject | undefined> {
  return (await listRemote(tenant, 'clusters')).find((row) => row.id === id);
}
