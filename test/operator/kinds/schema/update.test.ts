// What may change in an object that exists, by the judgement of the real API server.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { definitions, type Kind, openSchemaApi, type SchemaApi, type Spec } from './api.ts';
import { immutableEdits, unjudgedFields } from './immutable.ts';
import { inlineGroup, largest, otherUuid, referringGroup, smallest, standalone, uuid } from './samples.ts';

const kubeconfig = inject('kubeconfig');

/** Another value for each field of the content. */
const others: Spec = {
  description: 'other',
  pluginName: 'other',
  bigdataVersion: '9',
  flavorID: '9',
  nodeProcesses: ['other'],
  floatingIPPool: 'other',
  volumesPerNode: 9,
  volumesSize: 9,
  volumeMountPrefix: '/other',
  nodeConfigs: { other: { a: 1 } },
  clusterConfigs: { HDFS: { 'dfs.replication': '4' } },
  antiAffinity: ['other'],
  networkManagementNetwork: otherUuid,
  defaultImageID: otherUuid,
  userKeypairID: 'other',
  clusterTemplateRef: { name: 'other' },
  type: 'swift',
  url: 'swift://other/a',
  credentialsSecretRef: { name: 'other' },
};
const otherJob: Spec = {
  type: 'Java',
  mains: [],
  libs: [{ jobBinaryRef: { name: 'other' } }],
  interface: [{ name: 'other', mappingType: 'args', location: '0', required: true }],
};
const without = (spec: Spec, field: string): Spec =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== field));

describe.skipIf(kubeconfig === '')('an object that exists', () => {
  let api: SchemaApi;
  beforeAll(async () => {
    api = await openSchemaApi(kubeconfig, 'schema-update');
  });
  afterAll(async () => api?.close());

  const fixed = (field: string) => [`spec: Forbidden: ${field} is immutable; create another Cluster`];
  const replaced = async (kind: Kind, from: Spec, to: Spec) => api.tryReplace(await api.create(kind, from), to);

  describe.each(['NodeGroupTemplate', 'ClusterTemplate', 'DataSource', 'JobBinary', 'Job'] as const)('%s', (kind) => {
    const full = { ...smallest[kind], ...largest[kind] };
    const values: Spec = { ...others, ...(kind === 'Job' ? otherJob : {}) };
    const fields = Object.keys(full).filter((field) => field in values);

    test('all of its content changes, comes and goes', async () => {
      const path = await api.create(kind, full);
      const edited = { ...full, ...Object.fromEntries(fields.map((field) => [field, values[field]])) };
      const fixed = { connectionRef: full['connectionRef'], name: full['name'] };
      expect(await api.tryReplace(path, edited)).toEqual([]);
      expect(await api.tryReplace(path, { ...smallest[kind], ...fixed })).toEqual([]);
      expect(await api.tryReplace(path, full)).toEqual([]);
    });
  });

  describe.each(['NodeGroupTemplate', 'ClusterTemplate', 'Cluster'] as const)('%s', (kind) => {
    const full = largest[kind];

    test('deletionPolicy and progressDeadlineSeconds change, come and go', async () => {
      const path = await api.create(kind, full);
      expect(await api.tryPatch(path, { deletionPolicy: 'Delete', progressDeadlineSeconds: 5 })).toEqual([]);
      expect(await api.tryPatch(path, { deletionPolicy: null, progressDeadlineSeconds: null })).toEqual([]);
      expect(await replaced(kind, smallest[kind], { ...smallest[kind], deletionPolicy: 'Orphan' })).toEqual([]);
    });

    test('connectionRef "default" is the same as none', async () => {
      const named = { ...smallest[kind], connectionRef: { name: 'default' } };
      expect(await replaced(kind, smallest[kind], named)).toEqual([]);
      expect(await replaced(kind, named, smallest[kind])).toEqual([]);
    });

    test('nothing changes: taken; sets may be written in another order', async () => {
      expect(await replaced(kind, full, full)).toEqual([]);
      const set = kind === 'NodeGroupTemplate' ? 'nodeProcesses' : 'antiAffinity';
      expect(await replaced(kind, { ...full, [set]: ['a', 'b'] }, { ...full, [set]: ['b', 'a'] })).toEqual([]);
    });
  });

  describe('Cluster', () => {
    const kind = 'Cluster';
    const full = largest[kind];
    test('several changes: each is named', async () => {
      const verdict = await replaced(kind, full, { ...full, pluginName: 'other', description: 'other' });
      expect(verdict).toHaveLength(2);
    });

    test('known gap: configurations changed together with a free field get through; the operator refuses them', async () => {
      const changed = { ...full, clusterConfigs: { other: { a: 1 } }, deletionPolicy: 'Delete' };
      expect(await replaced(kind, full, changed)).toEqual([]);
    });
  });

  test('every field of every kind may change, or is here with its refusal', () => {
    expect(definitions.flatMap((one) => unjudgedFields(one).map((field) => `${one.kind}.${field}`))).toEqual([]);
  });

  test.each(immutableEdits)('is not changed: $name', async ({ kind, before, spec, field, says }) => {
    const path = await api.create(kind, before);
    const lines = await api.tryReplace(path, spec);
    expect(lines.join('\n')).toMatch(says);
    expect(lines.find((line) => says.test(line))?.startsWith(`${field}:`)).toBe(true);
    expect((await api.tryApply(kind, spec, path)).join('\n')).toMatch(says);
  });

  test('what goes for replacing goes for patching', async () => {
    const path = await api.create('Cluster', largest.Cluster);
    expect(await api.tryPatch(path, { pluginName: 'other' })).toHaveLength(1);
    expect(await api.tryPatch(path, { pluginName: null })).toHaveLength(1);
    expect(await api.tryPatch(path, { nodeGroups: [] })).toEqual([]);
  });

  test('node groups of a ClusterTemplate come, go, and change in all that they are', async () => {
    const template = (...nodeGroups: readonly Spec[]) => ({ ...smallest.ClusterTemplate, nodeGroups });
    const own = { ...inlineGroup, name: 'own', volumesSize: 5, nodeConfigs: { a: { b: 1 } } };
    const byId = { name: 'worker', count: 1, nodeGroupTemplateID: uuid };
    const path = await api.create('ClusterTemplate', template(inlineGroup));
    for (const groups of [
      [inlineGroup, referringGroup],
      [referringGroup, inlineGroup],
      [{ ...referringGroup, count: 9, nodeGroupTemplateRef: { name: 'b' } }],
      [byId],
      [{ ...byId, nodeGroupTemplateID: otherUuid }, own],
      [{ ...own, flavorID: '9', nodeProcesses: ['other'], nodeConfigs: { other: { a: 1 } } }],
    ])
      expect(await api.tryReplace(path, template(...groups))).toEqual([]);
    expect(await api.tryReplace(path, template({ name: 'nothing', count: 1 }))).toHaveLength(1);
  });

  describe('node groups of a Cluster', () => {
    const cluster = (...nodeGroups: readonly Spec[]) => ({ ...standalone, nodeGroups });
    const changed = async (from: Spec, to: Spec) =>
      replaced('Cluster', cluster(inlineGroup, from), cluster(inlineGroup, to));
    const own = { ...inlineGroup, name: 'own', volumesSize: 5, nodeConfigs: { a: { b: 1 } } };

    test('scale, come and go, and change their template', async () => {
      expect(await changed(referringGroup, { ...referringGroup, count: 9 })).toEqual([]);
      expect(await changed(own, { ...own, count: 9 })).toEqual([]);
      expect(await replaced('Cluster', cluster(inlineGroup), cluster(inlineGroup, own, referringGroup))).toEqual([]);
      expect(await replaced('Cluster', cluster(inlineGroup, own), cluster(inlineGroup))).toEqual([]);
      expect(await changed(referringGroup, { ...referringGroup, nodeGroupTemplateRef: { name: 'b' } })).toEqual([]);
      expect(await changed(referringGroup, { name: 'worker', count: 2, nodeGroupTemplateID: uuid })).toEqual([]);
    });

    test('the last one stays where there is no template', async () => {
      expect(await replaced('Cluster', standalone, { ...standalone, nodeGroups: [] })).toHaveLength(1);
    });

    test('it does not go over to a template under its name', async () => {
      const verdict = await changed(own, { name: 'own', count: 1, nodeGroupTemplateRef: { name: 'worker' } });
      const remedy = 'flavorID is immutable while the group exists; add a group with another name';
      expect(verdict).toEqual([`spec.nodeGroups[1]: Forbidden: ${remedy}`]);
    });

    test('known gap: its configurations changed together with its count get through; the operator refuses them', async () => {
      expect(await changed(own, { ...own, count: 9, nodeConfigs: { a: { b: 2 } } })).toEqual([]);
    });
  });

  test('an object as large as the policy for its size takes stays within the budget of the rules', async () => {
    const configs = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`name-${i}`, 'v'.repeat(100)]));
    const nodeProcesses = Array.from({ length: 50 }, (_, i) => `process-${i}-`.padEnd(70, 'x'));
    const groups = Array.from({ length: 50 }, (_, i) => ({
      ...inlineGroup,
      name: `group-${i}`,
      nodeProcesses,
      nodeConfigs: { HDFS: configs },
    }));
    const large = { ...standalone, nodeGroups: groups };
    expect(JSON.stringify(large).length).toBeGreaterThan(230_000);
    const path = await api.create('Cluster', large);
    expect(await api.tryReplace(path, { ...large, nodeGroups: groups.map((each) => ({ ...each, count: 3 })) })).toEqual(
      [],
    );
    const template = { ...smallest.ClusterTemplate, nodeGroups: groups };
    expect(await replaced('ClusterTemplate', template, { ...template, deletionPolicy: 'Orphan' })).toEqual([]);
  });

  describe('a Cluster and its template', () => {
    test('does not go over to one of another kind', async () => {
      const byId = { clusterTemplateID: uuid };
      expect(await replaced('Cluster', byId, smallest.Cluster)).toEqual(fixed('clusterTemplateRef'));
      expect(await replaced('Cluster', standalone, { ...standalone, ...smallest.Cluster })).toEqual(
        fixed('clusterTemplateRef'),
      );
    });

    test('its counts come and go', async () => {
      const sized = { ...smallest.Cluster, nodeGroups: [{ name: 'worker', count: 3 }] };
      expect(await replaced('Cluster', smallest.Cluster, sized)).toEqual([]);
      expect(await replaced('Cluster', sized, smallest.Cluster)).toEqual([]);
    });
  });

  test('a Cluster does not go over from one way of naming its image to the other', async () => {
    const by = { ...smallest.Cluster, imageRef: { name: 'a' } };
    expect(await replaced('Cluster', by, { ...smallest.Cluster, defaultImageID: uuid })).toEqual(
      fixed('defaultImageID'),
    );
  });

  test('the kind Connection is the same as none, and another kind is another connection', async () => {
    const of = (connectionRef: object) => ({ ...smallest.Cluster, connectionRef });
    const plain = of({ name: 'default' });
    const own = of({ kind: 'Connection', name: 'default' });
    const shared = of({ kind: 'SharedConnection', name: 'default' });
    expect(await replaced('Cluster', plain, own)).toEqual([]);
    expect(await replaced('Cluster', own, smallest.Cluster)).toEqual([]);
    const refused = [
      'spec.connectionRef: Forbidden: connectionRef is immutable; create another object that references the other Connection',
    ];
    for (const from of [plain, own, smallest.Cluster]) expect(await replaced('Cluster', from, shared)).toEqual(refused);
    expect(await replaced('Cluster', shared, own)).toEqual(refused);
  });

  test('all of an ImageRegistration but image and Connection changes, comes and goes', async () => {
    const { ImageRegistration: full } = largest;
    const { ImageRegistration: base } = smallest;
    expect(await replaced('ImageRegistration', full, { ...base, connectionRef: full['connectionRef'] })).toEqual([]);
    const changed = { ...full, username: 'root', description: 'x', tags: [], deletionPolicy: 'Delete' };
    expect(await replaced('ImageRegistration', full, changed)).toEqual([]);
  });

  describe('a Connection', () => {
    const full = largest.Connection;
    const moved =
      'spec.endpoint: Forbidden: endpoint can change only if formerEndpoints lists the old one; for another service, create another Connection';

    test('the dialect Neutral is the same as none', async () => {
      const { Connection: base } = smallest;
      const neutral = { ...base, dialect: 'Neutral' };
      expect(await replaced('Connection', base, neutral)).toEqual([]);
      expect(await replaced('Connection', neutral, base)).toEqual([]);
    });

    test('the endpoint moves only when the old one is listed', async () => {
      const to = { ...full, endpoint: 'https://new.example.com' };
      expect(await replaced('Connection', full, to)).toEqual([moved]);
      expect(await replaced('Connection', full, without(to, 'formerEndpoints'))).toEqual([moved]);
      expect(await replaced('Connection', full, { ...to, formerEndpoints: [full['endpoint']] })).toEqual([]);
    });

    test('endpoint and tenant can be set where a log-in told them, and then stay', async () => {
      const auth = { type: 'Keystone', secretRef: { name: 'a' }, cloud: 'b' };
      const { Connection: base } = smallest;
      expect(await replaced('Connection', { auth }, { ...base, auth })).toEqual([]);
      expect(await replaced('Connection', { ...base, auth }, { auth })).toEqual([
        'spec.tenantID: Forbidden: tenantID is immutable; create another Connection',
        moved,
      ]);
    });

    test('everything else changes, comes and goes', async () => {
      const path = await api.create('Connection', full);
      const change = {
        auth: { type: 'None', secretRef: null },
        tls: null,
        timeoutSeconds: 5,
        limits: { burst: 1 },
        pollSeconds: 1,
      };
      expect(await api.tryPatch(path, change)).toEqual([]);
      expect(await api.tryReplace(path, { ...smallest.Connection, dialect: 'Neutral' })).toEqual([]);
    });
  });
});
