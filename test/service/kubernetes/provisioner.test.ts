// What the provisioner does to the objects of a cluster, which a small stand-in for the API server keeps.
import { expect, onTestFinished, test } from 'vitest';
import type { ClusterOrder } from '../../../src/service/clusters/provisioner.ts';
import type { KubeApi, KubeObject, Made, ObjectKind } from '../../../src/service/kubernetes/api.ts';
import { PodProvisioner } from '../../../src/service/kubernetes/provisioner.ts';
import type { ClusterRecord } from '../../../src/service/records/records.ts';
import { ManualClock } from '../../support/clock.ts';
import { settingOf, sparkCluster } from './scene.ts';

interface StatefulSet extends Made {
  readonly spec: { readonly replicas: number };
}

/** Pods of the first machine of each group are ready at once. All others never come. */
class StandIn {
  readonly objects = new Map<string, Made>();

  async get(kind: ObjectKind, _namespace: string, name: string) {
    return this.objects.get(`${kind.kind} ${name}`);
  }

  async create(kind: ObjectKind, object: Made) {
    const data = Object.entries((object['stringData'] ?? {}) as Record<string, string>);
    const encoded = Object.fromEntries(data.map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
    this.objects.set(`${kind.kind} ${object.metadata.name}`, { ...object, data: encoded });
    return true;
  }

  async apply(kind: ObjectKind, object: Made) {
    this.objects.set(`${kind.kind} ${object.metadata.name}`, object);
    return { ...object, metadata: { ...object.metadata, generation: 1 } };
  }

  async list(kind: ObjectKind): Promise<readonly KubeObject[]> {
    const sets = [...this.objects.values()].filter((object) => object.kind === 'StatefulSet');
    if (kind.kind === 'StatefulSet') return sets;
    if (kind.kind !== 'Pod') return [];
    const status = { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] };
    return sets.map(({ metadata }) => ({ metadata: { ...metadata, name: `${metadata.name}-0` }, status }));
  }

  replicas(group: string): number | undefined {
    const sets = [...this.objects.entries()].filter(([name]) => name.startsWith('StatefulSet '));
    const found = sets.find(([name]) => name.endsWith(`-${group}`));
    return (found?.[1] as StatefulSet | undefined)?.spec.replicas;
  }
}

function open() {
  const [clock, api] = [new ManualClock(), new StandIn()];
  const { engine, flavors, imageOf, reach } = settingOf(sparkCluster());
  const reports: string[] = [];
  const provisioner = new PodProvisioner({
    api: api as unknown as KubeApi,
    engines: [engine],
    imageOf: (_engine, process) => imageOf(process),
    pullSecrets: [],
    flavors,
    namespaceOf: () => 'data',
    domain: 'cluster.local',
    reach,
    storageClass: undefined,
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    get: async () => ({ ok: true, text: '{}' }),
    createSecret: () => 'secret',
  });
  onTestFinished(provisioner.watch(() => true));
  const controller = new AbortController();
  const orderOf = (cluster: ClusterRecord): ClusterOrder => ({
    tenant: 't',
    cluster,
    signal: controller.signal,
    report: ({ message }) => void (message !== undefined && reports.push(message)),
  });
  return { clock, api, provisioner, orderOf, reports, stop: () => controller.abort(new Error('stopped')) };
}

test('whoever looks after a cluster does not undo its growth, and goes on when that has failed', async () => {
  const { clock, api, provisioner, orderOf, reports, stop } = open();
  const small = sparkCluster(1);
  await provisioner.launch(orderOf(small), []);
  expect(await provisioner.adopt(orderOf(small))).toBeUndefined();
  await clock.advance(5000);

  const growing = provisioner.launch(orderOf(sparkCluster(3)), []);
  growing.catch(() => undefined);
  for (let second = 0; second < 30; second += 1) await clock.advance(1000);
  expect([api.replicas('workers'), reports]).toEqual([3, []]);

  stop();
  await clock.advance(1000);
  await expect(growing).rejects.toThrow('stopped');
  await clock.advance(5000);
  expect(api.replicas('workers')).toBe(1);
});
