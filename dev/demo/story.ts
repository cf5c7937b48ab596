// The steps of the demo. Each one is verified in Kubernetes and in the service.
import type { Display } from './display.ts';
import { type Found, titleOf } from './manifests.ts';
import { hasStatus, waitForGone, waitForReady } from './readiness.ts';
import { countsOf, listEverything, listRemote } from './remote.ts';
import type { Stage } from './stage.ts';
import { NotYet, waitUntil } from './waiting.ts';

export interface Scene extends Stage {
  readonly display: Display;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

interface GroupEntry {
  readonly name: string;
  readonly count: number;
  readonly nodeGroupTemplateRef?: { readonly name: string };
}

const BOUND_MS = 90_000;

/** Applies the examples and waits until all are Ready and the service has the clusters. */
export async function create(scene: Scene): Promise<void> {
  const { display, examples } = scene;
  display.print(`Applying examples/: ${examples.map(titleOf).join(', ')}.`);
  for (const manifest of examples) await scene.objects.apply(manifest);
  await settle(scene);
  display.print('All are Ready.');
  await expectClusters(scene, { analytics: { master: 1, worker: 3 }, scratch: { head: 1, worker: 1 } });
}

export async function changeAndDelete(scene: Scene): Promise<void> {
  const scratch = { head: 1, worker: 1 };
  const extra = { name: 'extra', count: 1, nodeGroupTemplateRef: { name: 'worker' } };
  scene.display.print('Scaling up: worker of Cluster analytics from 3 to 5.');
  await scale(scene, [{ name: 'worker', count: 5 }]);
  await expectClusters(scene, { analytics: { master: 1, worker: 5 }, scratch });
  scene.display.print('Scaling down: worker from 5 to 2.');
  await scale(scene, [{ name: 'worker', count: 2 }]);
  await expectClusters(scene, { analytics: { master: 1, worker: 2 }, scratch });
  scene.display.print('Adding the node group "extra" with 1 node.');
  await scale(scene, [{ name: 'worker', count: 2 }, extra]);
  await expectClusters(scene, { analytics: { extra: 1, master: 1, worker: 2 }, scratch });
  scene.display.print('Removing it again.');
  await scale(scene, [{ name: 'worker', count: 2 }]);
  await expectClusters(scene, { analytics: { master: 1, worker: 2 }, scratch });
  scene.display.print('Deleting everything that was applied, all at once.');
  for (const manifest of scene.examples) await scene.objects.remove(manifest);
  const gone = waitForGone(scene.objects, scene.examples, { withinMs: BOUND_MS, signal: scene.signal });
  await scene.display.showWhile(scene, gone);
  scene.display.print('All are gone in Kubernetes.');
  const left = await listEverything(scene.remote);
  if (left.length > 0) throw new Error(`cannot end: the service still has ${left.join(', ')}`);
  scene.display.print('The service has no cluster and no template left.');
}

async function settle(scene: Scene): Promise<readonly Found[]> {
  const bound = { withinMs: BOUND_MS, signal: scene.signal };
  return scene.display.showWhile(scene, waitForReady(scene.objects, scene.examples.filter(hasStatus), bound));
}

/** Applies the manifest with other node groups. */
async function scale(scene: Scene, nodeGroups: readonly GroupEntry[]): Promise<void> {
  const analytics = scene.examples.find(({ kind, metadata }) => kind === 'Cluster' && metadata.name === 'analytics');
  if (analytics === undefined) throw new Error('cannot scale Cluster analytics: the examples do not have it');
  await scene.objects.apply({ ...analytics, spec: { ...(analytics['spec'] as object), nodeGroups } });
  await settle(scene);
}

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Waits until the service has exactly these clusters, all Active, with these counts. */
async function expectClusters({ objects, examples, remote, display, signal }: Scene, wanted: Counts): Promise<void> {
  const clusters = examples.filter(({ kind }) => kind === 'Cluster');
  const expected = JSON.stringify(wanted);
  await waitUntil(
    'find in the service what Kubernetes shows',
    async () => {
      const [rows, resources] = await Promise.all([
        listRemote(remote, 'clusters'),
        Promise.all(clusters.map(async (manifest) => objects.read(manifest))),
      ]);
      const names = new Map(resources.map((resource) => [resource?.status?.id ?? '', resource?.metadata.name ?? '']));
      const seen = rows.map((row) => [names.get(row.id) ?? `${row.id}, unknown in Kubernetes`, countsOf(row)] as const);
      const counts = JSON.stringify(Object.fromEntries(seen.toSorted(([a], [b]) => (a < b ? -1 : 1))));
      const active = rows.every(({ status }) => status === 'Active');
      return (active && counts === expected) || new NotYet(`it has ${counts} and should have ${expected}`);
    },
    { withinMs: 5_000, signal },
  );
  const lines = Object.entries(wanted).map(
    ([name, groups]) =>
      `${name} ${Object.entries(groups)
        .map(([group, count]) => `${group}=${count}`)
        .join(' ')}`,
  );
  display.print(`The service confirms, read back over HTTP: ${lines.join('; ')}; all Active.`);
}
