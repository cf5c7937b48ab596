// An object that is accepted can be reconciled and deleted: its spec leaves room in etcd for what users, Kubernetes and the operator add.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openApiServer } from '../../../dev/demo/api-server.ts';
import { renderKustomization } from '../../../dev/demo/kustomization.ts';
import { openObjects } from '../../../dev/demo/manifests.ts';
import type { Plane } from '../../../dev/plane/plane.ts';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { type ApiTransport, createTransport } from '../../../src/kube/http/transport.ts';
import { objectPath, toResource } from '../../../src/kube/resource.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { claimCall, releaseCall, statusCall } from '../../../src/operator/kube/write/writes.ts';
import { definitions, type Kind, type Spec } from '../../operator/kinds/schema/api.ts';
import { inlineGroup, smallest } from '../../operator/kinds/schema/samples.ts';
import { type Answer, type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { limitMs } from '../../support/patience.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const kiB = 1024;
const limit = 256 * kiB;
/** How much more than the filler there is in a spec. */
const rest = 4 * kiB;

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const mapOf = (count: number, value: unknown): Spec => Object.fromEntries(times(count, (n) => [`k${n}`, value]));

/** In each field of a run that has texts, as many bytes. */
const textsOf = (bytes: number): Spec => {
  const map = mapOf(Math.floor(bytes / 4_000), 'x'.repeat(3_990));
  return { args: Object.values(map), params: map, configs: map, interface: map };
};
const configsOf = (bytes: number): Spec => ({ general: mapOf(10, 'x'.repeat(bytes / 10)) });
/** All that the schema allows, with keys as long as YAML takes them. */
const selection: Spec = {
  namespaces: times(1_000, (n) => `${n}`.padStart(63, 'n')),
  namespaceSelector: {
    matchLabels: Object.fromEntries(times(100, (n) => [`${n}`.padEnd(1_000, 'k'), 'v'])),
    matchExpressions: times(20, () => ({
      key: 'k',
      operator: 'In',
      values: times(100, (n) => `${n}`.padEnd(63, 'v')),
    })),
  },
};
const { template } = smallest.JobSchedule as { template: { spec: Spec } };
const values = mapOf(80, 'v'.repeat(4_096));
const fullest = { args: times(80, () => 'a'.repeat(4_096)), params: values, configs: values, interface: values };
const argument = (text: string) => (n: number) => ({
  name: `${n}`.padEnd(250, text.slice(0, 1)),
  description: text,
  mappingType: 'params',
  location: text.slice(0, 255),
  required: false,
  default: text,
});
const described = (text: string) => ({ ...smallest.Job, interface: times(50, argument(text.repeat(1_024))) });
const file = (text: string) => ({ content: { inline: text.repeat(64 * kiB), fileName: 'run.py' } });

const longNames = Object.fromEntries(times(500, (n) => [`${n}`.padEnd(900, 'n'), true]));

/** As many bytes of labels, as long as they can be. */
const labelsOf = (bytes: number): Spec => {
  const label = (n: number) => [`${`${n}`.padStart(250, 'p')}/${'n'.repeat(63)}`, 'v'.repeat(63)] as const;
  return Object.fromEntries(times(Math.floor(bytes / 381), label));
};
/** Each of them is taken without the policy. */
const marked: readonly (readonly [string, Spec])[] = [
  ['labels', { labels: labelsOf(80 * kiB) }],
  [
    'owners',
    { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o'.repeat(70 * kiB), uid: 'of-an-owner' }] },
  ],
  ['finalizers', { finalizers: times(300, (n) => `${`${n}`.padStart(250, 'p')}/f`) }],
  ['all together', { labels: labelsOf(40 * kiB), finalizers: times(150, (n) => `${`${n}`.padStart(250, 'p')}/f`) }],
];

/** JSON has six bytes for each of them, whatever CEL has. */
const wide = ['\u0000', '\u0001', '\u0007', '\b', '\v', '\f', '\u001f', '\u2028', '\u2029'].map(
  (character): readonly [Kind, string, Spec] => [
    'NodeGroupTemplate',
    `characters ${JSON.stringify(character)}`,
    { ...smallest.NodeGroupTemplate, nodeConfigs: { a: { b: character.repeat(80 * kiB) } } },
  ],
);

/** Each of them is taken without the policy, and then nothing more can be written. */
const tooLarge: readonly (readonly [Kind, string, Spec])[] = [
  ['NodeGroupTemplate', 'values', { ...smallest.NodeGroupTemplate, nodeConfigs: configsOf(1_450 * kiB) }],
  ['NodeGroupTemplate', 'names', { ...smallest.NodeGroupTemplate, nodeConfigs: { general: longNames } }],
  [
    'NodeGroupTemplate',
    'characters',
    { ...smallest.NodeGroupTemplate, nodeConfigs: { a: { b: '<'.repeat(240 * kiB) } } },
  ],
  ...wide,
  ['ClusterTemplate', 'values', { ...smallest.ClusterTemplate, clusterConfigs: configsOf(1_450 * kiB) }],
  [
    'ClusterTemplate',
    'groups',
    {
      ...smallest.ClusterTemplate,
      nodeGroups: times(50, (n) => ({ ...inlineGroup, name: `g${n}`, nodeConfigs: configsOf(28 * kiB) })),
    },
  ],
  ['Cluster', 'values', { ...smallest.Cluster, clusterConfigs: configsOf(1_450 * kiB) }],
  ['JobExecution', 'values', { ...smallest.JobExecution, ...fullest }],
  [
    'JobExecution',
    'a cluster',
    { jobRef: { name: 'words' }, cluster: { ...smallest.Cluster, clusterConfigs: configsOf(1_450 * kiB) } },
  ],
  ['JobSchedule', 'values', { schedule: '@daily', template: { spec: { ...template.spec, ...fullest } } }],
  [
    'JobSchedule',
    'annotations',
    { schedule: '@daily', template: { ...template, metadata: { annotations: mapOf(50, '&'.repeat(4_096)) } } },
  ],
  ['SharedConnection', 'its selection', { ...smallest.SharedConnection, ...selection }],
  ['Job', 'characters', described('<')],
  ['JobBinary', 'characters', file('<')],
];

/** Of the policy, and of the schema, which names the field. */
const refusals =
  /spec is larger than 256 KiB, .*: shorten it, or move large values to files|spec\.\S+: .* longer than 65536 characters together: (?:put long values into a file|shorten)/;

/** The largest that are taken: almost the limit, or all that the schema allows. */
const large: readonly (readonly [Kind, Spec])[] = [
  [
    'Connection',
    {
      ...smallest.Connection,
      formerEndpoints: times(20, (n) => `https://${n}.example.com/`.padEnd(1_024, 'é')),
    },
  ],
  ['SharedConnection', { ...smallest.SharedConnection, namespaces: times(1_000, (n) => `${n}`.padStart(63, 'n')) }],
  ['ImageRegistration', { ...smallest.ImageRegistration, tags: times(50, (n) => `${n}`.padEnd(80, 't')) }],
  ['NodeGroupTemplate', { ...smallest.NodeGroupTemplate, nodeConfigs: configsOf(limit - rest) }],
  ['ClusterTemplate', { ...smallest.ClusterTemplate, clusterConfigs: configsOf(limit - rest) }],
  ['Cluster', { ...smallest.Cluster, clusterConfigs: configsOf(limit - rest) }],
  ['DataSource', { ...smallest.DataSource, description: '<'.repeat(1_024), url: '/'.padEnd(255, 'd') }],
  ['JobBinary', file('x')],
  ['Job', described('x')],
  ['JobExecution', { ...smallest.JobExecution, ...textsOf((limit - rest) / 4) }],
  ['JobSchedule', { schedule: '@daily', template: { spec: { ...template.spec, ...textsOf((limit - rest) / 4) } } }],
  ['NodeGroup', { ...smallest.NodeGroup, clusterRef: { name: 'c'.repeat(253) }, nodeGroup: 'g'.repeat(30) }],
];

export function everyKindIsTried(): void {
  test('every kind is tried in its largest size', () => {
    const kinds = definitions.map(({ kind }) => kind).toSorted();
    expect(large.map(([kind]) => kind).toSorted()).toEqual(kinds);
    const bounded: readonly Kind[] = ['Connection', 'DataSource', 'ImageRegistration', 'NodeGroup'];
    expect([...new Set([...tooLarge.map(([kind]) => kind), ...bounded])].toSorted()).toEqual(kinds);
  });
}

/** Leaves the policy, and no object. */
export function sizesAreBounded(plane: () => Plane): void {
  describe('on the API server', () => {
    const namespace = 'sizes';
    let api: ApiServer;
    let operator: ApiTransport;
    /** Created before the policy was installed. */
    let old: Answer;
    let labelled: Answer;

    const resourceOf = (kind: Kind) => {
      const { plural, scope } = definitions.find((each) => each.kind === kind) ?? expect.unreachable();
      return { kind, apiVersion, plural, clusterScoped: scope === 'Cluster' };
    };
    const pathOf = (kind: Kind, name: string) => objectPath(resourceOf(kind), { namespace, name });
    const apply = async (kind: Kind, name: string, spec: Spec, metadata = {}): Promise<Answer> =>
      api.apply(pathOf(kind, name), { apiVersion, kind, metadata: { ...metadata, name }, spec });

    beforeAll(async () => {
      const { kubeconfig } = plane();
      await applyCrds(kubeconfig);
      api = await connect(kubeconfig);
      await createNamespace(api, namespace);
      const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
      operator = createTransport({ config, clock: systemClock });
      old = await apply('NodeGroupTemplate', 'old', {
        ...smallest.NodeGroupTemplate,
        nodeConfigs: configsOf(400 * kiB),
      });
      labelled = await apply('NodeGroupTemplate', 'labelled', smallest.NodeGroupTemplate, {
        labels: labelsOf(80 * kiB),
      });
      const admin = await openApiServer(kubeconfig);
      const shared = await renderKustomization(join(root, 'deploy', 'cluster-wide'));
      for (const each of shared.filter(({ kind }) => kind.startsWith('Validating')))
        await openObjects(admin, namespace).apply(each);
      await admin.close();
      // The API server follows new policies a moment later.
      const spec = { ...smallest.NodeGroupTemplate, nodeConfigs: configsOf(limit + rest) };
      const probe = { apiVersion, kind: 'NodeGroupTemplate', metadata: { name: 'probe' }, spec };
      const attempt = async () => api.apply(pathOf('NodeGroupTemplate', 'probe'), probe, '?dryRun=All');
      await vi.waitFor(async () => expect((await attempt()).status).toBe(413), { timeout: limitMs, interval: 100 });
    });
    afterAll(async () => {
      await operator?.close();
      await api?.close();
    });

    test.each(tooLarge)('%s: too much in %s is refused with the remedy', async (kind, _what, spec) => {
      const { status, body } = await apply(kind, 'too-large', spec);
      expect([status, (body as { message?: string }).message]).toEqual([
        expect.any(Number),
        expect.stringMatching(refusals),
      ]);
      expect([413, 422], JSON.stringify(body)).toContain(status);
      expect((await api.send({ path: pathOf(kind, 'too-large') })).status).toBe(404);
    });

    test.each(marked)('too much in %s is refused with the remedy', async (_what, metadata) => {
      const { status, body } = await apply('NodeGroupTemplate', 'too-large', smallest.NodeGroupTemplate, metadata);
      expect([status, (body as { message?: string }).message]).toEqual([
        413,
        expect.stringMatching(/more than 64 KiB of labels, ownerReferences and finalizers, .*: remove labels/),
      ]);
    });

    /** More than the operator writes. */
    const status = {
      conditions: times(10, (n) => ({
        type: `Type${n}`,
        status: 'True',
        reason: 'Pending',
        message: '<'.repeat(4_096),
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    };

    test.each(large)('%s: the largest that is taken is claimed, gets a status, and goes', async (kind, spec) => {
      const annotations = { 'example.com/notes': 'n'.repeat(200 * kiB) };
      const made = await apply(kind, 'large', spec, { annotations, labels: labelsOf(60 * kiB) });
      expect(made.status, JSON.stringify(made.body).slice(0, 2_000)).toBe(201);
      const resource = resourceOf(kind);
      const ledger = 'l'.repeat(40 * kiB);
      const claimed = toResource(
        resource,
        await operator.request(claimCall(resource, toResource(resource, made.body), ledger)),
      );
      const told = toResource(resource, await operator.request(statusCall(resource, claimed, status)));
      expect(told.status).toMatchObject(status);
      expect((await api.send({ method: 'DELETE', path: pathOf(kind, 'large') })).status).toBe(200);
      const leaving = toResource(resource, (await api.send({ path: pathOf(kind, 'large') })).body);
      expect(leaving.metadata.deletionTimestamp).toBeDefined();
      await operator.request(releaseCall(resource, leaving));
      expect((await api.send({ path: pathOf(kind, 'large') })).status).toBe(404);
    });

    test('what was larger before is claimed, edited, gets a status and goes, but cannot grow', async () => {
      expect(old.status).toBe(201);
      const resource = resourceOf('NodeGroupTemplate');
      const path = pathOf('NodeGroupTemplate', 'old');
      const edit = async (spec: Spec) => api.send({ method: 'PATCH', path, body: { spec } });
      await operator.request(claimCall(resource, toResource(resource, old.body), '{}'));
      expect((await edit({ nodeConfigs: { more: { text: 'm'.repeat(2 * kiB) } } })).status).toBe(413);
      const edited = await edit({ deletionPolicy: 'Orphan' });
      expect(edited.status).toBe(200);
      const told = await operator.request(statusCall(resource, toResource(resource, edited.body), status));
      await operator.request(releaseCall(resource, toResource(resource, told)));
      expect((await api.send({ method: 'DELETE', path })).status).toBe(200);
      expect((await api.send({ path })).status).toBe(404);
    });

    test('what had more labels before is claimed, edited and goes, but gets no more', async () => {
      expect(labelled.status).toBe(201);
      const resource = resourceOf('NodeGroupTemplate');
      const path = pathOf('NodeGroupTemplate', 'labelled');
      const edit = async (body: Spec) => api.send({ method: 'PATCH', path, body });
      await operator.request(claimCall(resource, toResource(resource, labelled.body), '{}'));
      const more = { labels: Object.fromEntries(times(20, (n) => [`more-${n}`, 'm'.repeat(63)])) };
      expect((await edit({ metadata: more })).status).toBe(413);
      const edited = await edit({ spec: { deletionPolicy: 'Orphan' }, metadata: { labels: { more: 'yes' } } });
      expect(edited.status).toBe(200);
      expect((await api.send({ method: 'DELETE', path })).status).toBe(200);
      const leaving = toResource(resource, (await api.send({ path })).body);
      await operator.request(releaseCall(resource, leaving));
      expect((await api.send({ path })).status).toBe(404);
    });
  });
}
