// What a new object may look like, by the judgement of the real API server: field and words of each refusal.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fit, unfit } from './addresses.ts';
import { definitions, type Kind, openSchemaApi, type SchemaApi } from './api.ts';
import { inlineGroup, largest, referringGroup, smallest, standalone, uuid } from './samples.ts';

const kubeconfig = inject('kubeconfig');
const notUuid = 'must be an identifier in UUID form';
const notAName = 'must be letters, digits and hyphens in dot-separated labels';
const notAUrl =
  'must be a URL that begins with http:// or https://, with a host and, where needed, a port up to 65535, without user, password, query and fragment';
const cluster = (changes: object) => ({ ...smallest.Cluster, ...changes });
const connection = (changes: object) => ({ ...smallest.Connection, ...changes });
const registration = (changes: object) => ({ ...smallest.ImageRegistration, ...changes });
const worker = (changes: object) => ({ ...smallest.NodeGroupTemplate, ...changes });
const groups = (...nodeGroups: readonly object[]) => ({ ...smallest.ClusterTemplate, nodeGroups });
const group = (changes: object) => groups({ ...inlineGroup, ...changes });

describe.skipIf(kubeconfig === '')('a new object', () => {
  let api: SchemaApi;
  beforeAll(async () => {
    api = await openSchemaApi(kubeconfig, 'schema-create');
  });
  afterAll(async () => api?.close());

  describe('is taken', () => {
    test.each<[string, Kind, object]>([
      ...definitions.map(({ kind }): [string, Kind, object] => ['with what is required', kind, smallest[kind]]),
      ...definitions.map(({ kind }): [string, Kind, object] => ['with every field set', kind, largest[kind]]),
      ['without a template', 'Cluster', standalone],
      ['with the registration of its image', 'Cluster', cluster({ imageRef: { name: 'ubuntu' } })],
      ['no tags at all', 'ImageRegistration', registration({ tags: [] })],
      ['a user as Windows has them', 'ImageRegistration', registration({ username: '_a.b-1$' })],
      ['by template id', 'Cluster', { clusterTemplateID: uuid }],
      ['an id without hyphens', 'Cluster', { clusterTemplateID: uuid.replaceAll('-', '').toUpperCase() }],
      ['no groups of its own beside a template', 'Cluster', cluster({ nodeGroups: [] })],
      ['with a base path', 'Connection', connection({ endpoint: 'https://processing.example.com:8386/api/base/' })],
      ...fit.map((endpoint): [string, Kind, object] => [`at ${endpoint}`, 'Connection', connection({ endpoint })]),
      ['moved from each of them', 'Connection', connection({ formerEndpoints: fit })],
      ['with an @ in the path', 'Connection', connection({ endpoint: 'http://host/a@b' })],
      [
        'with a log-in that tells all the rest',
        'Connection',
        { auth: { type: 'Keystone', secretRef: { name: 'a' }, cloud: 'b' } },
      ],
      [
        'with a log-in, and the rest, too',
        'Connection',
        connection({ auth: { type: 'Keystone', secretRef: { name: 'a' }, cloud: 'b' } }),
      ],
      ['without log-in', 'Connection', connection({ auth: { type: 'None' } })],
      ['no nodes yet', 'ClusterTemplate', group({ count: 0 })],
      ['a name of 30 characters', 'ClusterTemplate', group({ name: `a${'-'.repeat(28)}b` })],
      ['1024 wide characters', 'NodeGroupTemplate', worker({ description: '🦀'.repeat(1024) })],
      [
        'an empty object as configuration (parsing refuses it)',
        'NodeGroupTemplate',
        worker({ nodeConfigs: { a: { b: {} } } }),
      ],
    ])('%s: %s', async (_, kind, spec) => {
      expect(await api.tryCreate(kind, spec)).toEqual([]);
    });
  });

  describe('is refused', () => {
    test.each<[string, Kind, unknown, ...string[]]>([
      ['no spec', 'Cluster', undefined, 'spec: Required value'],
      ['an unknown field', 'Cluster', cluster({ hello: 1 }), '400: .*unknown field "spec.hello"'],

      ['ftp', 'Connection', connection({ endpoint: 'ftp://host' }), `spec.endpoint: .*${notAUrl}`],
      ['a password', 'Connection', connection({ endpoint: 'http://me:pw@host' }), `spec.endpoint: .*${notAUrl}`],
      ...unfit.flatMap((endpoint): [string, Kind, unknown, string][] => [
        [`the address ${endpoint}`, 'Connection', connection({ endpoint }), `spec.endpoint: .*${notAUrl}`],
        [
          `the former address ${endpoint}`,
          'Connection',
          connection({ formerEndpoints: [endpoint] }),
          `spec.formerEndpoints\\[0\\]: .*${notAUrl}`,
        ],
      ]),
      ['a newline', 'Connection', connection({ endpoint: 'http://host\n' }), `spec.endpoint: .*${notAUrl}`],
      [
        'a bad former one',
        'Connection',
        connection({ formerEndpoints: ['host'] }),
        `spec.formerEndpoints\\[0\\]: .*${notAUrl}`,
      ],
      [
        'twice the same',
        'Connection',
        connection({ formerEndpoints: ['http://a', 'http://a'] }),
        'spec.formerEndpoints\\[1\\]: Duplicate',
      ],
      ['no tenant', 'Connection', { endpoint: 'http://host' }, 'spec.tenantID: Required value: give the tenant to use'],
      [
        'no endpoint',
        'Connection',
        { tenantID: 'demo', auth: { type: 'Token', secretRef: { name: 'a' } } },
        'spec.endpoint: Required value: give the base URL of the service',
      ],
      [
        'an empty tenant',
        'Connection',
        connection({ tenantID: '' }),
        'spec.tenantID: .*at least 1 chars',
        'spec.tenantID: .*letters',
      ],
      [
        'a tenant that leaves the path',
        'Connection',
        connection({ tenantID: '..' }),
        'spec.tenantID: .*begin with a letter or digit',
      ],
      ['a slash in the tenant', 'Connection', connection({ tenantID: 'a/b' }), 'spec.tenantID: .*letters, digits'],
      [
        'another dialect',
        'Connection',
        connection({ dialect: 'neutral' }),
        'spec.dialect: Unsupported value: "neutral"',
      ],
      ['another log-in', 'Connection', connection({ auth: { type: 'Basic' } }), 'spec.auth.type: Unsupported value'],
      [
        'a log-in from nowhere',
        'Connection',
        connection({ auth: { type: 'Keystone', cloud: 'a' } }),
        'spec.auth.secretRef: Required value: type Keystone needs secretRef',
      ],
      [
        'a log-in without its cloud',
        'Connection',
        connection({ auth: { type: 'Keystone', secretRef: { name: 'a' } } }),
        'spec.auth.cloud: Required value: type Keystone needs cloud',
      ],
      [
        'a cloud for nothing',
        'Connection',
        connection({ auth: { type: 'Token', secretRef: { name: 'a' }, cloud: 'a' } }),
        'spec.auth.cloud: Forbidden: only type Keystone has a cloud',
      ],
      [
        'a token from nowhere',
        'Connection',
        connection({ auth: { type: 'Token' } }),
        'spec.auth.secretRef: Required value: type Token needs secretRef',
      ],
      [
        'a Secret for nothing',
        'Connection',
        connection({ auth: { type: 'None', secretRef: { name: 'a' } } }),
        'spec.auth.secretRef: Forbidden: type None uses no Secret',
      ],
      [
        'no time to answer',
        'Connection',
        connection({ timeoutSeconds: 0 }),
        'spec.timeoutSeconds: .*greater than or equal to 1',
      ],
      [
        'a hail of requests',
        'Connection',
        connection({ limits: { burst: 10_001 } }),
        'spec.limits.burst: .*less than or equal to 10000',
      ],
      ['a fraction', 'Connection', connection({ pollSeconds: 1.5 }), 'spec.pollSeconds: .*type int32'],

      ['no processes', 'NodeGroupTemplate', worker({ nodeProcesses: [] }), 'spec.nodeProcesses: .*at least 1 items'],
      [
        'a process twice',
        'NodeGroupTemplate',
        worker({ nodeProcesses: ['a', 'a'] }),
        'spec.nodeProcesses\\[1\\]: Duplicate value',
      ],
      ['no flavor', 'NodeGroupTemplate', worker({ flavorID: undefined }), 'spec.flavorID: Required value'],
      ['a flavor as a number', 'NodeGroupTemplate', worker({ flavorID: 2 }), 'spec.flavorID: .*type string'],
      [
        'a version as a number',
        'NodeGroupTemplate',
        worker({ bigdataVersion: 2.3 }),
        'spec.bigdataVersion: .*type string',
      ],
      [
        'a relative path',
        'NodeGroupTemplate',
        worker({ volumeMountPrefix: 'volumes' }),
        'spec.volumeMountPrefix: .*absolute path',
      ],
      [
        'fewer volumes than none',
        'NodeGroupTemplate',
        worker({ volumesPerNode: -1 }),
        'spec.volumesPerNode: .*greater than or equal to 0',
      ],
      [
        'volumes of no size',
        'NodeGroupTemplate',
        worker({ volumesSize: 0 }),
        'spec.volumesSize: .*greater than or equal to 1',
      ],
      [
        'a list as configuration',
        'NodeGroupTemplate',
        worker({ nodeConfigs: { a: { b: [1] } } }),
        'spec.nodeConfigs.a.b: .*at most 0 items',
      ],
      [
        'an object as configuration',
        'NodeGroupTemplate',
        worker({ nodeConfigs: { a: { b: { c: 1 } } } }),
        'spec.nodeConfigs.a.b: .*at most 0 items',
      ],
      [
        'a value in place of a target',
        'NodeGroupTemplate',
        worker({ nodeConfigs: { a: 1 } }),
        'spec.nodeConfigs.a: .*type object',
      ],
      [
        '1025 wide characters',
        'NodeGroupTemplate',
        worker({ description: '🦀'.repeat(1025) }),
        'spec.description: Too long',
      ],
      [
        'another policy',
        'NodeGroupTemplate',
        worker({ deletionPolicy: 'Retain' }),
        'spec.deletionPolicy: Unsupported value',
      ],
      [
        'no time to get ready',
        'NodeGroupTemplate',
        worker({ progressDeadlineSeconds: 0 }),
        'spec.progressDeadlineSeconds: .*greater',
      ],
      [
        'a Connection without a name',
        'NodeGroupTemplate',
        worker({ connectionRef: {} }),
        'spec.connectionRef.name: Required value',
      ],

      ['no groups', 'ClusterTemplate', groups(), 'spec.nodeGroups: .*at least 1 items'],
      [
        'one name for two',
        'ClusterTemplate',
        groups(inlineGroup, inlineGroup),
        'spec.nodeGroups\\[1\\]: Duplicate value',
      ],
      [
        'a name of 31 characters',
        'ClusterTemplate',
        group({ name: 'a'.repeat(31) }),
        'spec.nodeGroups\\[0\\].name: Too long',
      ],
      ['a leading digit', 'ClusterTemplate', group({ name: '1a' }), `spec.nodeGroups\\[0\\].name: .*${notAName}`],
      ['an underscore', 'ClusterTemplate', group({ name: 'a_b' }), `spec.nodeGroups\\[0\\].name: .*${notAName}`],
      ['a hyphen at the end', 'ClusterTemplate', group({ name: 'a-' }), `spec.nodeGroups\\[0\\].name: .*${notAName}`],
      ['an empty label', 'ClusterTemplate', group({ name: 'a..b' }), `spec.nodeGroups\\[0\\].name: .*${notAName}`],
      ['fewer nodes than none', 'ClusterTemplate', group({ count: -1 }), 'spec.nodeGroups\\[0\\].count: .*greater'],
      [
        'only name and count',
        'ClusterTemplate',
        groups({ name: 'a', count: 1 }),
        'spec.nodeGroups\\[0\\]: Required value: give nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID',
      ],
      [
        'ref and id',
        'ClusterTemplate',
        groups({ ...referringGroup, nodeGroupTemplateID: uuid }),
        'spec.nodeGroups\\[0\\].nodeGroupTemplateID: Forbidden: give either nodeGroupTemplateRef or nodeGroupTemplateID, not both',
      ],
      [
        'template and flavor',
        'ClusterTemplate',
        groups({ ...referringGroup, flavorID: '2' }),
        'spec.nodeGroups\\[0\\]: Forbidden: a group with a node group template takes its nodes from there',
      ],
      [
        'processes without a flavor',
        'ClusterTemplate',
        groups({ name: 'a', count: 1, nodeProcesses: ['a'] }),
        'spec.nodeGroups\\[0\\].flavorID: Required value: a group without a node group template needs a flavorID',
        'spec.nodeGroups\\[0\\]: Required value: give',
      ],
      [
        'a flavor without processes',
        'ClusterTemplate',
        group({ nodeProcesses: undefined }),
        'spec.nodeGroups\\[0\\].nodeProcesses: Required value: a group without',
      ],
      [
        'no id',
        'ClusterTemplate',
        groups({ name: 'a', count: 1, nodeGroupTemplateID: 'worker' }),
        `spec.nodeGroups\\[0\\].nodeGroupTemplateID: .*${notUuid}`,
      ],
      [
        '51 groups',
        'ClusterTemplate',
        groups(...Array.from({ length: 51 }, (_, i) => ({ ...inlineGroup, name: `g${i}` }))),
        'spec.nodeGroups: Too many: 51: must have at most 50 items',
      ],

      [
        'nothing',
        'Cluster',
        {},
        ...['pluginName', 'bigdataVersion', 'nodeGroups'].map(
          (f) => `spec.${f}: Required value: a Cluster without clusterTemplateRef or clusterTemplateID needs ${f}`,
        ),
      ],
      [
        'both templates',
        'Cluster',
        cluster({ clusterTemplateID: uuid }),
        'spec.clusterTemplateID: Forbidden: give either clusterTemplateRef or clusterTemplateID, not both',
      ],
      [
        'two images',
        'Cluster',
        cluster({ defaultImageID: uuid, imageRef: { name: 'ubuntu' } }),
        'spec.imageRef: Forbidden: give either defaultImageID or imageRef, not both',
      ],

      ['no image', 'ImageRegistration', registration({ imageID: undefined }), 'spec.imageID: Required value'],
      ['an image by name', 'ImageRegistration', registration({ imageID: 'ubuntu' }), `spec.imageID: .*${notUuid}`],
      ['no user', 'ImageRegistration', registration({ username: undefined }), 'spec.username: Required value'],
      [
        'an empty user',
        'ImageRegistration',
        registration({ username: '' }),
        'spec.username: .*at least 1 chars',
        'spec.username: .*must be the name of a user',
      ],
      [
        'a user with a blank',
        'ImageRegistration',
        registration({ username: 'a b' }),
        'spec.username: .*must be the name of a user of the operating system',
      ],
      [
        'a tag with a blank',
        'ImageRegistration',
        registration({ tags: ['a b'] }),
        'spec.tags\\[0\\]: .*must be letters, digits, - and _ in dot-separated labels',
      ],
      ['a tag twice', 'ImageRegistration', registration({ tags: ['a', 'a'] }), 'spec.tags\\[1\\]: Duplicate value'],
      [
        'no groups and no template',
        'Cluster',
        { ...standalone, nodeGroups: [] },
        'spec.nodeGroups: Required value: a Cluster without',
      ],
      [
        'only a count and no template',
        'Cluster',
        { ...standalone, nodeGroups: [inlineGroup, { name: 'b', count: 1 }] },
        'spec.nodeGroups: .*in a Cluster without a template each node group needs nodeGroupTemplateRef',
      ],
      [
        'a group of two kinds',
        'Cluster',
        cluster({ nodeGroups: [{ ...inlineGroup, ...referringGroup }] }),
        'spec.nodeGroups\\[0\\]: Forbidden: a group with a node group template',
      ],
      [
        'a volume of nothing',
        'Cluster',
        cluster({ nodeGroups: [{ name: 'a', count: 1, volumesSize: 1 }] }),
        'spec.nodeGroups\\[0\\].flavorID: Required value',
        'spec.nodeGroups\\[0\\].nodeProcesses: Required value',
      ],
      ['an image by name', 'Cluster', cluster({ defaultImageID: 'ubuntu' }), `spec.defaultImageID: .*${notUuid}`],
      [
        'a network by name',
        'Cluster',
        cluster({ networkManagementNetwork: 'private' }),
        `spec.networkManagementNetwork: .*${notUuid}`,
      ],
      [
        'a key pair with a slash',
        'Cluster',
        cluster({ userKeypairID: 'a/b' }),
        'spec.userKeypairID: .*must be letters, digits, spaces, - and _',
      ],
    ])('%s: %s', async (_, kind, spec, ...complaints) => {
      const verdict = await api.tryCreate(kind, spec);
      expect(verdict).toHaveLength(complaints.length);
      for (const complaint of complaints) expect(verdict).toContainEqual(expect.stringMatching(`^${complaint}`));
    });
  });
});
