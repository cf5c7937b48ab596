// The manifests of what is in a service.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { manifestsFor } from '../../../src/cli/import/manifests.ts';
import { claimedBy } from '../../../src/cli/service/claims.ts';
import { collections } from '../../../src/cli/service/collections.ts';
import { readDocuments } from '../../../src/kube/yaml/documents.ts';
import { writeDocuments } from '../../../src/kube/yaml/write.ts';
import { definitions } from '../../../src/operator/kinds/definitions.ts';
import { clusterName, revisionName } from '../../../src/operator/reconcile/ledger/naming.ts';
import { object, ready } from '../why/objects.ts';

const id = (one: number): string => `00000000-0000-4000-8000-${`${one}`.padStart(12, '0')}`;
const plugin = { plugin_name: 'vanilla', bigdata_version: '3.10' };
const nodes = {
  flavor_id: 2,
  node_processes: ['datanode'],
  volumes_per_node: 0,
  volumes_size: 10,
  volume_mount_prefix: '/v',
};
const worker = { name: 'worker', count: 3, node_group_template_id: id(2), ...nodes };
const master = { name: 'master', count: '1', flavor_id: 'm1', node_processes: ['namenode'], node_configs: {} };

const estate = {
  ImageRegistration: [
    { id: id(1), name: 'Ubuntu 24.04', username: 'ubuntu', tags: ['vanilla', '3.10'], description: null },
  ],
  NodeGroupTemplate: [{ id: id(2), name: 'Workers', ...plugin, ...nodes, volumes_per_node: 2 }],
  ClusterTemplate: [
    {
      id: id(3),
      name: 'Workers',
      ...plugin,
      node_groups: [worker],
      cluster_configs: { HDFS: { 'dfs.replication': 2, 'fs.s3a.secret.key': 'hunter2', url: 'http://u:hunter2@x' } },
    },
  ],
  Cluster: [
    {
      id: id(4),
      name: 'analytics',
      ...plugin,
      cluster_template_id: id(3),
      default_image_id: id(1),
      user_keypair_id: 'ops',
      node_groups: [{ ...worker, count: 5 }, master],
    },
  ],
  DataSource: [{ id: id(5), name: 'books', type: 'hdfs', url: 'hdfs://namenode:8020/books' }],
  JobBinary: [{ id: id(6), name: 'words.py', url: 's3://bucket/words.py' }],
  Job: [{ id: id(7), name: 'words', type: 'Spark', mains: [{ id: id(6), name: 'words.py' }], libs: [], interface: [] }],
} as const;

type Estate = Readonly<Record<string, readonly { readonly id: string; readonly name: string }[]>>;

function imported(
  of: Estate = estate,
  more: {
    readonly all?: boolean;
    readonly only?: readonly string[];
    readonly connection?: Parameters<typeof manifestsFor>[0]['connection'];
    readonly resources?: Parameters<typeof claimedBy>[0];
  } = {},
) {
  const read = collections.map((one) => ({
    ...one,
    rows: (of[one.kind] ?? []).map((fields) => ({ id: fields.id, name: fields.name, fields: { ...fields } })),
  }));
  const { resources = [], ...asked } = more;
  const connection = more.connection ?? ({ kind: 'Connection', name: 'default' } as const);
  const place = { connection, namespace: 'team', endpoints: ['http://x'], tenant: 'demo' };
  const claimed = claimedBy([ready('Job', 'words', { more: { id: id(70) } }), ...resources], place);
  const inventory = { read, claimed, ownMarks: new Set<string>() };
  return manifestsFor({
    inventory,
    namespace: 'team',
    connection,
    all: false,
    only: [],
    ...asked,
  });
}

test('each is valid for its kind, and adopts without changing anything', () => {
  const { manifests, unknown } = imported();
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'ImageRegistration ubuntu-24-04',
    'NodeGroupTemplate workers',
    'ClusterTemplate workers',
    'Cluster analytics',
    'DataSource books',
    'JobBinary words-py',
    // The name is taken by a Job that exists.
    'Job words-00000000',
  ]);
  for (const { kind, spec } of manifests) {
    const { adopt, policy } = spec as Readonly<Record<string, unknown>>;
    // The spec of an image names it anyway.
    expect(adopt).toEqual(kind === 'ImageRegistration' ? undefined : { id: expect.stringMatching(/^0{8}-/) });
    expect(policy).toBe('Observe');
    const parsed = definitions.find((one) => one.kind === kind)?.spec.safeParse(spec);
    expect(parsed?.error?.issues ?? [], kind).toEqual([]);
  }
  expect(unknown).toEqual([]);
});

test('the documented command lets the operator manage all of them, and edits nothing else', () => {
  const page = readFileSync(new URL('../../../docs/how-to/import.md', import.meta.url), 'utf8');
  const [, from = 'none', to = ''] = /sed 's\/(.+)\/(.+)\/' estate\.yaml/.exec(page) ?? [];
  const { manifests } = imported();
  const managed = readDocuments(writeDocuments(manifests).replaceAll(new RegExp(from, 'gm'), to));
  expect(managed).toEqual(manifests.map((one) => ({ ...one, spec: { ...one.spec, policy: 'Manage' } })));
});

test('a resource that never got an identifier keeps its name, in its namespace', () => {
  const conflict = object('Cluster', 'analytics', { reason: 'NameConflict', message: 'the service has another one' });
  const elsewhere = object('DataSource', 'books', {
    reason: 'InvalidSpec',
    message: 'url',
    metadata: { namespace: 'x' },
  });
  const { manifests } = imported(estate, { resources: [conflict, elsewhere] });
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(names).toEqual(expect.arrayContaining(['Cluster analytics-00000000', 'DataSource books']));
  expect(names).not.toContain('Cluster analytics');
});

describe('a resource that is to adopt an object, and has not recorded it yet', () => {
  const waiting = (kind: string, name: string, spec: object, metadata: object = {}) =>
    object(kind, name, {
      reason: 'Pending',
      message: '',
      spec,
      metadata: { uid: `uid-${kind}-${name}`, ...metadata },
    });
  const keys = ({ manifests }: ReturnType<typeof imported>) => manifests.map(({ kind }) => kind);
  const estateOf = (...kinds: readonly (keyof typeof estate)[]) =>
    Object.fromEntries(kinds.map((kind) => [kind, estate[kind]]));
  const far = { connectionRef: { name: 'far' } };

  test('a second import prints nothing for what the first one printed, and says why', () => {
    const applied = imported().manifests.map(({ kind, metadata, spec }) => waiting(kind, metadata.name, spec));
    const again = imported(estate, { resources: applied });
    expect(again.manifests).toEqual([]);
    expect(again.notes[0]).toBe(
      `NodeGroupTemplate Workers (${id(2)}): spec.adopt of NodeGroupTemplate team/workers names it`,
    );
    expect(again.notes).toHaveLength(6);
    expect(imported(estate, { resources: applied, only: ['analytics'] })).toEqual({
      manifests: [],
      notes: [`Cluster analytics (${id(4)}): spec.adopt of Cluster team/analytics names it`],
      unknown: [],
    });
  });

  test('is named by what refers to the object', () => {
    const template = waiting('ClusterTemplate', 'small', { adopt: { id: id(3) } });
    const { manifests } = imported(estateOf('ClusterTemplate', 'Cluster'), { resources: [template] });
    expect(manifests).toMatchObject([{ kind: 'Cluster', spec: { clusterTemplateRef: { name: 'small' } } }]);
  });

  test.each([
    ['the identifier, through whatever connection', { adopt: { id: id(4) }, ...far }, {}, false],
    ['the name', { adopt: { name: 'analytics' } }, {}, false],
    ['a filter', { adopt: { match: { name: 'ana*', pluginName: 'vanilla' } } }, {}, false],
    ['a filter that the object does not meet', { adopt: { match: { name: 'ana*', pluginName: 'x' } } }, {}, true],
    ['the name, in the service of another Connection', { adopt: { name: 'analytics' }, ...far }, {}, true],
    ['the name, in the service of another namespace', { adopt: { name: 'analytics' } }, { namespace: 'x' }, true],
    ['nothing that can be read', { adopt: { id: 5, match: [] } }, {}, true],
  ])('may name %s', (_how, spec, metadata, isPrinted) => {
    const resources = [waiting('Cluster', 'mine', spec, metadata)];
    expect(keys(imported(estateOf('Cluster'), { resources }))).toEqual(isPrinted ? ['Cluster'] : []);
  });

  test('adopts none of several with the same name', () => {
    const twins = { Cluster: [estate.Cluster[0], { ...estate.Cluster[0], id: id(9) }] };
    const resources = [waiting('Cluster', 'mine', { adopt: { name: 'analytics' } })];
    expect(keys(imported(twins, { resources }))).toEqual(['Cluster', 'Cluster']);
  });

  test('one that stands for another object by now leaves this one', () => {
    const resources = [ready('Cluster', 'mine', { spec: { adopt: { id: id(4) } }, more: { id: id(40) } })];
    expect(keys(imported(estateOf('Cluster'), { resources }))).toEqual(['Cluster']);
  });

  test('the name counts in all namespaces through the same SharedConnection', () => {
    const connection = { kind: 'SharedConnection', name: 'platform' } as const;
    const spec = { adopt: { name: 'analytics' }, connectionRef: connection };
    const resources = [waiting('Cluster', 'mine', spec, { namespace: 'x' })];
    const again = imported(estateOf('Cluster'), { resources, connection });
    expect(again.manifests).toEqual([]);
    expect(again.notes).toEqual([`Cluster analytics (${id(4)}): spec.adopt of Cluster x/mine names it`]);
  });
});

test('references are names where a manifest stands for the object, and a group of the template has only its count', () => {
  const specs = Object.fromEntries(imported().manifests.map(({ kind, spec }) => [kind, spec]));
  expect(specs['Cluster']).toMatchObject({
    clusterTemplateRef: { name: 'workers' },
    userKeypairID: 'ops',
    nodeGroups: [
      { name: 'worker', count: 5 },
      { name: 'master', count: 1, flavorID: 'm1', nodeProcesses: ['namenode'] },
    ],
  });
  expect(specs['ClusterTemplate']).toMatchObject({
    nodeGroups: [{ name: 'worker', count: 3, nodeGroupTemplateRef: { name: 'workers' } }],
  });
  expect(specs['Job']).toMatchObject({ mains: [{ jobBinaryRef: { name: 'words-py' } }] });
  const alone = imported({ Job: estate.Job }).manifests;
  expect(alone).toMatchObject([{ spec: { mains: [{ jobBinaryID: id(6) }] } }]);
  expect(specs['NodeGroupTemplate']).toMatchObject({ flavorID: '2', volumesPerNode: 2, volumesSize: 10 });
});

test('a cluster template without node groups is left out, with the reason, and its Clusters name it by its identifier', () => {
  const [template] = estate.ClusterTemplate;
  for (const node_groups of [[], null]) {
    const found = imported({ ...estate, ClusterTemplate: [{ ...template, node_groups } as never] });
    expect(found.manifests.map(({ kind }) => kind)).not.toContain('ClusterTemplate');
    expect(found.notes).toEqual([
      `ClusterTemplate Workers (${id(3)}): it has no node groups, and spec.nodeGroups needs at least one. Clusters of it are written with clusterTemplateID`,
    ]);
    const { spec } = found.manifests.find(({ kind }) => kind === 'Cluster') ?? expect.fail();
    expect(spec).toMatchObject({ clusterTemplateID: id(3) });
    expect(definitions.find(({ kind }) => kind === 'Cluster')?.spec.safeParse(spec).success).toBe(true);
  }
});

test('what may be a secret is left out, and told', () => {
  const { manifests, notes } = imported();
  expect(JSON.stringify(manifests)).not.toContain('hunter2');
  expect(notes).toEqual([
    'ClusterTemplate workers: spec.clusterConfigs.HDFS.fs.s3a.secret.key, which may be a secret',
    'ClusterTemplate workers: spec.clusterConfigs.HDFS.url, which may be a secret',
  ]);
  expect(JSON.stringify(notes)).not.toContain('hunter2');
  const signed = imported({
    JobBinary: [{ id: id(6), name: 'x', url: 's3://key:hunter2@bucket/x?sign=hunter2' } as never],
  });
  expect(JSON.stringify([signed.manifests, signed.notes])).not.toContain('hunter2');
});

test('a SharedConnection is named with its kind', () => {
  const connection = { kind: 'SharedConnection', name: 'platform' } as const;
  const [manifest] = imported({ DataSource: estate.DataSource }, { connection }).manifests;
  expect(manifest).toMatchObject({ spec: { connectionRef: connection } });
});

test('what another installation made needs --all, and a choice names objects by name or identifier', () => {
  const name = clusterName({ name: 'etl', uid: 'x', installation: 'there' }, 6);
  const foreign = { Cluster: [{ ...estate.Cluster[0], name }] };
  expect(imported(foreign).manifests).toEqual([]);
  expect(imported(foreign).notes).toEqual([expect.stringContaining('another installation')]);
  expect(imported(foreign, { all: true }).manifests).toMatchObject([{ metadata: { name: 'etl' } }]);
  const some = imported(estate, { only: ['analytics', id(5), 'nobody'] });
  expect(some.manifests.map(({ kind }) => kind)).toEqual(['Cluster', 'DataSource']);
  expect(some.unknown).toEqual(['nobody']);
});

test('so does a cluster of a fixed name whose private template another installation made', () => {
  const name = revisionName({ name: 'analytics', uid: 'x', installation: 'there' }, 'aaaaaaaa');
  const foreign = { ClusterTemplate: [{ ...estate.ClusterTemplate[0], name }], Cluster: estate.Cluster };
  expect(imported(foreign).manifests).toEqual([]);
  expect(imported(foreign).notes).toEqual([expect.stringMatching(/^2 made by another installation/)]);
  expect(imported(foreign, { all: true }).manifests.map(({ kind }) => kind)).toEqual(['ClusterTemplate', 'Cluster']);
});

test('another Connection than the default is named', () => {
  const [manifest] = imported(
    { DataSource: estate.DataSource },
    { connection: { kind: 'Connection', name: 'far' } },
  ).manifests;
  expect(manifest).toMatchObject({ metadata: { namespace: 'team' }, spec: { connectionRef: { name: 'far' } } });
});

test('an image that only an ImageRegistration of another Connection names is printed', () => {
  const resources = [ready('ImageRegistration', 'ubuntu', { spec: { imageID: id(1) }, more: { id: id(1) } })];
  const connection = { kind: 'Connection', name: 'far' } as const;
  const images = { ImageRegistration: estate.ImageRegistration };
  expect(imported(images, { resources }).manifests).toEqual([]);
  expect(imported(images, { resources, connection }).manifests).toMatchObject([
    { metadata: { name: 'ubuntu-24-04' }, spec: { imageID: id(1), connectionRef: { name: 'far' } } },
  ]);
});

test('hostile values make no invalid manifest', () => {
  const hostile = {
    Cluster: [
      { id: id(1), name: '', node_groups: [null, 5], cluster_configs: [], anti_affinity: {}, plugin_name: 5 } as never,
    ],
  };
  expect(imported(hostile).manifests).toMatchObject([{ metadata: { name: 'unnamed' } }]);
});

test('kubectl reads the YAML as the same values', () => {
  const values = [
    { a: ['yes', '0600', '1_000', '3.10', '1:30', 'null', '~', 'a: b', '# c', 'é\n', '2026-11-28', 0o600, true, null] },
    {},
  ];
  expect(readDocuments(writeDocuments(values))).toEqual(values);
});
