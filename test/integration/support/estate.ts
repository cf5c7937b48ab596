// The documented way to manage an estate that exists: import, observe, manage. Nothing of it may change in the service.
import { expect, inject, test, vi } from 'vitest';
import { readDocuments } from '../../../src/kube/yaml/documents.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { limitMs } from '../../support/patience.ts';
import { runPlugin } from '../plugin/run-plugin.ts';
import { conditionOf, type Resource, World } from './world.ts';

const plain = { plugin_name: 'vanilla', bigdata_version: '1.2.1' };

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function isReady(one: Resource): boolean {
  const ready = conditionOf(one, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === one.metadata.generation;
}

/** What somebody made by hand. */
async function make({ service }: World, size: number): Promise<void> {
  const post = async (route: string, body: object): Promise<string> => {
    const answer = await fetch(`${service.url}/v1.0/demo/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const json = (await answer.json()) as Record<string, { readonly id: string }>;
    expect(answer.status, JSON.stringify(json)).toBeLessThan(300);
    return Object.values(json)[0]?.id ?? '';
  };
  const processes = [
    ['master', '3', ['namenode', 'jobtracker']],
    ['worker', '2', ['datanode', 'tasktracker']],
  ] as const;
  const groups: object[] = [];
  for (const [name, flavor_id, node_processes] of processes) {
    const id = await post('node-group-templates', { name, ...plain, flavor_id, node_processes });
    groups.push({ name, count: name === 'master' ? 1 : 2, node_group_template_id: id });
  }
  const image = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
  const cluster_template_id = await post('cluster-templates', { name: 'small', ...plain, node_groups: groups });
  const start = { ...plain, cluster_template_id, default_image_id: image, user_keypair_id: 'demo' };
  for (let number = 0; number < size; number += 1) await post('clusters', { name: `etl-${number}`, ...start });
}

async function imported(namespace: string): Promise<readonly Manifest[]> {
  const { code, output, lines } = await runPlugin(['import'], { namespace });
  expect([code, lines]).toEqual([0, []]);
  return readDocuments(output) as readonly Manifest[];
}

async function everything(world: World, manifests: readonly Manifest[]): Promise<readonly Resource[]> {
  const kinds = [...new Set(manifests.map(({ kind }) => kind))];
  const lists = await Promise.all(kinds.map(async (kind) => (await world.api.send({ path: world.path(kind) })).body));
  return lists.flatMap((list) => (list as { readonly items: readonly Resource[] }).items);
}

/** Each of the manifests is applied in this way, and then its object is as it should be. */
async function applyAll(
  world: World,
  { manifests, more }: { readonly manifests: readonly Manifest[]; readonly more?: object },
  holds: (one: Resource) => boolean,
): Promise<void> {
  for (const { kind, metadata, spec } of manifests) await world.apply(kind, metadata.name, { ...spec, ...more });
  const check = async (): Promise<void> => {
    const rest = (await everything(world, manifests)).filter((one) => !holds(one));
    expect(rest.slice(0, 2), `${rest.length} are not there yet`).toEqual([]);
  };
  await vi.waitFor(check, { timeout: limitMs, interval: 250 });
}

/** With so many clusters. */
export function estateOf(size: number): void {
  test.skipIf(inject('kubeconfig') === '')(
    `${size} clusters are observed and then managed without a write`,
    async () => {
      await using world = await World.create();
      await make(world, size);
      await world.operate(systemClock);
      await world.connectService();
      await world.ready('Connection', 'default');
      world.forget();
      const manifests = await imported(world.namespace);
      expect(manifests.filter(({ kind }) => kind === 'Cluster')).toHaveLength(size);
      const begun = performance.now();
      await applyAll(world, { manifests }, (one) => isReady(one) && conditionOf(one, 'Drifted') === undefined);
      const observed = performance.now();
      const seen = await everything(world, manifests);
      expect(seen.filter(({ metadata }) => metadata.finalizers || metadata.annotations)).toEqual([]);
      const more = { policy: 'Manage' };
      await applyAll(world, { manifests, more }, (one) => isReady(one) && one.metadata.finalizers !== undefined);
      console.info(
        `${manifests.length} objects: observed after ${seconds(observed - begun)}, managed after ${seconds(performance.now() - begun)}; ` +
          `${world.external.length} requests to the service`,
      );
      // Requests that changed anything in the service.
      expect(world.external.filter((line) => !line.startsWith('GET ') || line.endsWith('/cancel'))).toEqual([]);
    },
  );
}
