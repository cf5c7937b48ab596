// Specs that the API server refuses, as data: what is wrong, the change of a good spec, and the words of each complaint.
import { fit, unfit } from './addresses.ts';
import { definitions, type Kind, type Spec } from './api.ts';
import { fileUrls, placeForms } from './places.ts';
import { identifiedRun, inlineGroup, largest, ownRun, referringGroup, smallest, standalone, uuid } from './samples.ts';

const notUuid = 'must be an identifier in UUID form';
const notAName = 'must be letters, digits and hyphens in dot-separated labels';
const notAUrl =
  'must be a URL that begins with http:// or https://, with a host and, where needed, a port up to 65535, without user, password, query and fragment';
const groups = (...nodeGroups: readonly object[]): Spec => ({ nodeGroups });
const group = (changes: object): Spec => groups({ ...inlineGroup, ...changes });
const whole = (spec: unknown) => ({ whole: spec });
const alone = (...nodeGroups: readonly object[]) => whole({ ...standalone, nodeGroups });
/** Server-side apply complains about this field in words of its own, because its parser is faster than the schema. */
const applying = (words: string) => ({ applying: `.spec.${words}` });

/** In the words of Kubernetes 1.30, or of 1.36. */
const tooLong = (most: number) => String.raw`Too long: may not be (longer|more) than ${most}\b`;
const duplicate = (name: string) => String.raw`Duplicate value: (map\[string\]interface \{\})?\{"name":"${name}"\}`;
const notAWholeNumber = 'must be of type (integer: "number"|int32)';

type Change = Spec | { readonly whole: unknown };
type Complaint = string | ReturnType<typeof applying>;
type Row = readonly [what: string, change: Change, ...complaints: readonly Complaint[]];

export interface Sample {
  readonly name: string;
  readonly kind: Kind;
  readonly spec: unknown;
}

export interface Refusal extends Sample {
  /** Patterns of lines of the refusal, one each. */
  readonly complaints: readonly string[];
  /** What server-side apply says instead. */
  readonly applying: string | undefined;
}

const program = [{ jobBinaryRef: { name: 'words' } }];
const keyOfPrograms = { name: 'programs', key: 'words.py' };
const inline = { inline: 'print(1)', fileName: 'words.py' };
const named = { name: 'text', mappingType: 'args', location: '0', required: true };

const specOf = (kind: Kind, change: Change): unknown =>
  'whole' in change ? change.whole : { ...smallest[kind], ...change };

const good: Readonly<Record<Kind, readonly (readonly [what: string, change: Change])[]>> = {
  Connection: [
    ['with a base path', { endpoint: 'https://processing.example.com:8386/api/base/' }],
    ...fit.map((endpoint) => [`at ${endpoint}`, { endpoint }] as const),
    ['moved from each of them', { formerEndpoints: fit }],
    ['with an @ in the path', { endpoint: 'http://host/a@b' }],
    [
      'with a log-in that tells all the rest',
      whole({ auth: { type: 'Keystone', secretRef: { name: 'a' }, cloud: 'b' } }),
    ],
    ['with a log-in, and the rest, too', { auth: { type: 'Keystone', secretRef: { name: 'a' }, cloud: 'b' } }],
    ['without log-in', { auth: { type: 'None' } }],
  ],
  SharedConnection: [
    ['of all namespaces', { namespaceSelector: {} }],
    ['of none', { namespaces: [] }],
    [
      'by every operator',
      {
        namespaceSelector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'NotIn', values: ['c'] },
            { key: 'a', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist' },
          ],
        },
      },
    ],
    ['without Clusters', { limits: { maxClusters: 0, maxNodes: 0 } }],
  ],
  NodeGroupTemplate: [
    ['1024 wide characters', { description: '🦀'.repeat(1024) }],
    ['an empty object as configuration (parsing refuses it)', { nodeConfigs: { a: { b: {} } } }],
  ],
  ClusterTemplate: [
    ['no nodes yet', group({ count: 0 })],
    ['a name of 30 characters', group({ name: `a${'-'.repeat(28)}b` })],
  ],
  Cluster: [
    ['without a template', whole(standalone)],
    ['with the registration of its image', { imageRef: { name: 'ubuntu' } }],
    ['by template id', whole({ clusterTemplateID: uuid })],
    ['an id without hyphens', whole({ clusterTemplateID: uuid.replaceAll('-', '').toUpperCase() })],
    ['no groups of its own beside a template', groups()],
    ['a lifecycle with one deadline', { lifecycle: { idleDeleteAfterSeconds: 300 } }],
    ['a lifecycle that releases', { lifecycle: { deleteAt: '2026-06-30T18:00:00Z', onExpiry: 'Release' } }],
  ],
  ImageRegistration: [
    ['no tags at all', { tags: [] }],
    ['a user as Windows has them', { username: '_a.b-1$' }],
  ],
  Job: [
    ...['Pig', 'Hive', 'Shell', 'Spark', 'Storm', 'Storm.Pyleus', 'Jar'].map(
      (type) => [`${type} with mains`, { type, libs: [] }] as const,
    ),
    ...['Java', 'MapReduce', 'MapReduce.Streaming', 'Jar'].map(
      (type) => [`${type} with libs`, whole({ type, mains: [], libs: program })] as const,
    ),
    ['MapReduce.Streaming with nothing', whole({ type: 'MapReduce.Streaming' })],
  ],
  JobExecution: [
    ['with a job and a cluster of its own', whole(ownRun)],
    ['by identifiers', whole({ jobID: uuid, clusterID: uuid, inputID: uuid, outputID: uuid })],
    ['without values', { configs: {}, params: {}, args: [], interface: {} }],
    ['an empty argument', { args: [''] }],
  ],
  JobSchedule: [
    ['with a name for the times', { schedule: '@hourly' }],
    ['with names and steps', { schedule: '5/15  */2 ? jan,FEB mon-FRI/2' }],
    ['in UTC', { timeZone: 'Etc/GMT-1' }],
  ],
  NodeGroup: [
    ['with another count', { count: 3 }],
    ['with autoscaling that has defaults', { autoscaling: { maxCount: 1 } }],
    ['that stays as it is', { autoscaling: { minCount: 3, maxCount: 3 } }],
  ],
  JobBinary: [
    ...fileUrls.fit.map((url) => [`at ${url}`, { url }] as const),
    ['with bytes of its own', whole({ content: { inline: 'é'.repeat(32_768), fileName: 'words' } })],
    ['with those of a ConfigMap', whole({ content: { configMapKeyRef: keyOfPrograms } })],
    ['with those of a Secret, and a name', whole({ content: { secretKeyRef: keyOfPrograms, fileName: 'a.jar' } })],
  ],
  DataSource: Object.entries(placeForms).flatMap(([type, { fit: urls }]) =>
    urls.map((url) => [`of the type ${type} at ${url}`, { type, url }] as const),
  ),
};

const unknown = (field: string, value: unknown = 1): Row => [
  'an unknown field',
  { [field]: value },
  `400: .*strict decoding error: unknown field "spec.${field}"`,
  applying(`${field}: field not declared in schema`),
];

const bad: Readonly<Record<Kind, readonly Row[]>> = {
  Connection: [
    unknown('url'),
    ['ftp', { endpoint: 'ftp://host' }, `endpoint: .*${notAUrl}`],
    ['a password', { endpoint: 'http://me:pw@host' }, `endpoint: .*${notAUrl}`],
    ...unfit.flatMap((endpoint): readonly Row[] => [
      [`the address ${endpoint}`, { endpoint }, `endpoint: .*${notAUrl}`],
      [`the former address ${endpoint}`, { formerEndpoints: [endpoint] }, `formerEndpoints[0]: .*${notAUrl}`],
    ]),
    ['a newline', { endpoint: 'http://host\n' }, `endpoint: .*${notAUrl}`],
    ['a bad former one', { formerEndpoints: ['host'] }, `formerEndpoints[0]: .*${notAUrl}`],
    [
      'twice the same',
      { formerEndpoints: ['http://a', 'http://a'] },
      'formerEndpoints[1]: Duplicate',
      applying('formerEndpoints: duplicate entries'),
    ],
    [
      'no tenant',
      whole({ endpoint: 'http://host' }),
      'tenantID: Required value: tenantID is required unless auth.type is Keystone',
    ],
    [
      'no endpoint',
      whole({ tenantID: 'demo', auth: { type: 'Token', secretRef: { name: 'a' } } }),
      'endpoint: Required value: endpoint, the base URL of the service, is required unless auth.type is Keystone',
    ],
    ['an empty tenant', { tenantID: '' }, 'tenantID: .*at least 1 chars', 'tenantID: .*letters'],
    ['a tenant that leaves the path', { tenantID: '..' }, 'tenantID: .*begin with a letter or digit'],
    ['a slash in the tenant', { tenantID: 'a/b' }, 'tenantID: .*letters, digits'],
    ['another dialect', { dialect: 'neutral' }, 'dialect: Unsupported value: "neutral"'],
    ['another log-in', { auth: { type: 'Basic' } }, 'auth.type: Unsupported value'],
    [
      'a log-in from nowhere',
      { auth: { type: 'Keystone', cloud: 'a' } },
      'auth.secretRef: Required value: type Keystone needs secretRef',
    ],
    [
      'a log-in without its cloud',
      { auth: { type: 'Keystone', secretRef: { name: 'a' } } },
      'auth.cloud: Required value: type Keystone needs cloud: the name of the cloud in clouds.yaml',
    ],
    [
      'a cloud for nothing',
      { auth: { type: 'Token', secretRef: { name: 'a' }, cloud: 'a' } },
      'auth.cloud: Forbidden: only type Keystone has a cloud',
    ],
    [
      'a token from nowhere',
      { auth: { type: 'Token' } },
      'auth.secretRef: Required value: type Token needs secretRef: the Secret that holds the token',
    ],
    [
      'a Secret for nothing',
      { auth: { type: 'None', secretRef: { name: 'a' } } },
      'auth.secretRef: Forbidden: type None uses no Secret',
    ],
    ['no time to answer', { timeoutSeconds: 0 }, 'timeoutSeconds: .*greater than or equal to 1'],
    ['a hail of requests', { limits: { burst: 10_001 } }, 'limits.burst: .*less than or equal to 10000'],
    ['a fraction', { pollSeconds: 1.5 }, `pollSeconds: .*${notAWholeNumber}`],
  ],
  SharedConnection: [
    unknown('namespace'),
    ['ftp', { endpoint: 'ftp://host' }, `endpoint: .*${notAUrl}`],
    [
      'no tenant',
      whole({ endpoint: 'http://host' }),
      'tenantID: Required value: tenantID is required unless auth.type is Keystone',
    ],
    [
      'a Secret from nowhere',
      { auth: { type: 'Token', secretRef: { name: 'a' } } },
      'credentialsNamespace: Required value: credentialsNamespace, the namespace of the Secrets, is required where auth or tls names one',
    ],
    ['no name of a namespace', { namespaces: ['Team'] }, 'namespaces[0]: .*must be the name of a namespace'],
    [
      'a namespace twice',
      { namespaces: ['a', 'a'] },
      'namespaces[1]: Duplicate',
      applying('namespaces: duplicate entries'),
    ],
    [
      'values for none',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      'namespaceSelector.matchExpressions[0].values: .*In and NotIn need values, and Exists and DoesNotExist have none',
    ],
    [
      'no values for some',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'namespaceSelector.matchExpressions[0].values: .*In and NotIn need values',
    ],
    [
      'another operator',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } },
      'namespaceSelector.matchExpressions[0].operator: Unsupported value: "Gt"',
    ],
    ['less than nothing', { limits: { maxNodes: -1 } }, 'limits.maxNodes: .*greater than or equal to 0'],
  ],
  NodeGroupTemplate: [
    unknown('flavour'),
    ['a base of names with capital letters', { name: 'Workers' }, 'name: .*must be small letters, digits and hyphens'],
    ['no processes', { nodeProcesses: [] }, 'nodeProcesses: .*at least 1 items'],
    [
      'a process twice',
      { nodeProcesses: ['a', 'a'] },
      'nodeProcesses[1]: Duplicate value: "a"',
      applying('nodeProcesses: duplicate entries'),
    ],
    [
      'one process where a list belongs',
      { nodeProcesses: 'datanode' },
      'nodeProcesses: .*must be of type array',
      applying('nodeProcesses: expected list'),
    ],
    ['no flavor', { flavorID: undefined }, 'flavorID: Required value'],
    ['a flavor as a number', { flavorID: 2 }, 'flavorID: .*type string', applying('flavorID: expected string')],
    [
      'a version as a number',
      { bigdataVersion: 2.3 },
      'bigdataVersion: .*must be of type string: "number"',
      applying('bigdataVersion: expected string'),
    ],
    ['a relative path', { volumeMountPrefix: 'volumes' }, 'volumeMountPrefix: .*absolute path'],
    ['fewer volumes than none', { volumesPerNode: -1 }, 'volumesPerNode: .*greater than or equal to 0'],
    ['volumes of no size', { volumesSize: 0 }, 'volumesSize: .*greater than or equal to 1'],
    ['a list as configuration', { nodeConfigs: { a: { b: [1] } } }, 'nodeConfigs.a.b: .*at most 0 items'],
    ['an object as configuration', { nodeConfigs: { a: { b: { c: 1 } } } }, 'nodeConfigs.a.b: .*at most 0 items'],
    [
      'a value in place of a target',
      { nodeConfigs: { 'Heap Size': 1 } },
      'nodeConfigs.Heap Size: .*type object',
      applying('nodeConfigs.Heap Size: expected map'),
    ],
    ['1025 wide characters', { description: '🦀'.repeat(1025) }, 'description: Too long'],
    ['another policy', { deletionPolicy: 'Retain' }, 'deletionPolicy: Unsupported value'],
    [
      'nothing to observe',
      { policy: 'Observe' },
      'policy: Invalid value: .*the policy Observe needs adopt, which says what to observe',
    ],
    [
      'two words for an existing object',
      { adopt: { id: uuid, name: 'workers' } },
      'adopt: Invalid value: .*set exactly one of id, name and match',
    ],
    ['no word for an existing object', { adopt: {} }, 'adopt: Invalid value: .*set exactly one of id, name and match'],
    [
      'an existing object that may be any',
      { adopt: { match: {} } },
      'adopt.match: Invalid value: .*name at least one field of the object',
    ],
    ['no time to get ready', { progressDeadlineSeconds: 0 }, 'progressDeadlineSeconds: .*greater'],
    ['a Connection without a name', { connectionRef: {} }, 'connectionRef.name: Required value'],
  ],
  ClusterTemplate: [
    unknown('nodegroups', []),
    [
      'an unknown field of a node group',
      group({ replicas: 3 }),
      '400: .*unknown field "spec.nodeGroups[0].replicas"',
      applying('nodeGroups[name="head"].replicas: field not declared in schema'),
    ],
    ['a base of names that would be cut', { name: 'b'.repeat(25) }, `name: ${tooLong(24)}`],
    [
      'an object as configuration',
      { clusterConfigs: { HDFS: { 'dfs.hosts': { a: 1 } } } },
      'clusterConfigs.HDFS.dfs.hosts: .*at most 0 items',
    ],
    ['no groups', groups(), 'nodeGroups: .*at least 1 items'],
    [
      'one name for two',
      groups(inlineGroup, inlineGroup),
      `nodeGroups[1]: ${duplicate('head')}`,
      applying('nodeGroups: duplicate entries'),
    ],
    [
      'a count in quotes',
      group({ count: '3' }),
      'nodeGroups[0].count: .*must be of type integer',
      applying('nodeGroups[name="head"].count: expected numeric'),
    ],
    ['a name of 31 characters', group({ name: 'a'.repeat(31) }), `nodeGroups[0].name: ${tooLong(30)}`],
    ['a leading digit', group({ name: '1a' }), `nodeGroups[0].name: .*${notAName}`],
    ['an underscore', group({ name: 'a_b' }), `nodeGroups[0].name: .*${notAName}`],
    ['a hyphen at the end', group({ name: 'a-' }), `nodeGroups[0].name: .*${notAName}`],
    ['an empty label', group({ name: 'a..b' }), `nodeGroups[0].name: .*${notAName}`],
    ['fewer nodes than none', group({ count: -1 }), 'nodeGroups[0].count: Invalid value: -1: .*greater'],
    ['more nodes than a service can tell of', group({ count: 10_001 }), 'nodeGroups[0].count: .*equal to 10000'],
    [
      'only name and count',
      groups({ name: 'a', count: 1 }),
      'nodeGroups[0]: Required value: give nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    ],
    [
      'ref and id',
      groups({ ...referringGroup, nodeGroupTemplateID: uuid }),
      'nodeGroups[0].nodeGroupTemplateID: Forbidden: set either nodeGroupTemplateRef or nodeGroupTemplateID, not both',
    ],
    [
      'template and flavor',
      groups({ ...referringGroup, flavorID: '2' }),
      'nodeGroups[0]: Forbidden: a group with a node group template cannot have flavorID, nodeProcesses or other fields of nodes',
    ],
    [
      'processes without a flavor',
      groups({ name: 'a', count: 1, nodeProcesses: ['a'] }),
      'nodeGroups[0].flavorID: Required value: a group without a node group template needs a flavorID',
      'nodeGroups[0]: Required value: give',
    ],
    [
      'a flavor without processes',
      group({ nodeProcesses: undefined }),
      'nodeGroups[0].nodeProcesses: Required value: a group without a node group template needs nodeProcesses',
    ],
    [
      'no id',
      groups({ name: 'a', count: 1, nodeGroupTemplateID: 'worker' }),
      `nodeGroups[0].nodeGroupTemplateID: .*${notUuid}`,
    ],
    [
      '51 groups',
      groups(...Array.from({ length: 51 }, (_, i) => ({ ...inlineGroup, name: `g${i}` }))),
      'nodeGroups: Too many: 51: must have at most 50 items',
    ],
  ],
  Cluster: [
    ['no spec', whole(undefined), 'spec: Required value'],
    unknown('netId', uuid),
    ['a fixed name that begins with a digit', { name: '9lives' }, `name: .*${notAName} that begin with a letter`],
    ['a fixed name that leaves no room for any group', { name: `n${'a'.repeat(48)}` }, `name: ${tooLong(48)}`],
    [
      'a fixed name that is too long beside a group',
      { name: 'n'.repeat(30), nodeGroups: [{ name: 'g'.repeat(20), count: 1 }] },
      'name: .*name and the name of each node group together must not exceed 49 characters',
    ],
    [
      'a name where a reference belongs',
      { clusterTemplateRef: 'small' },
      'clusterTemplateRef: .*must be of type object',
      applying('clusterTemplateRef: expected map'),
    ],
    [
      'nothing',
      whole({}),
      ...['pluginName', 'bigdataVersion', 'nodeGroups'].map(
        (f) =>
          `${f}: Required value: a Cluster without a template needs ${f}: set pluginName, bigdataVersion and nodeGroups, or set clusterTemplateRef or clusterTemplateID to use a template`,
      ),
    ],
    [
      'both templates',
      { clusterTemplateID: uuid },
      'clusterTemplateID: Forbidden: set either clusterTemplateRef or clusterTemplateID, not both',
    ],
    [
      'two images',
      { defaultImageID: uuid, imageRef: { name: 'ubuntu' } },
      'imageRef: Forbidden: set either defaultImageID or imageRef, not both',
    ],
    [
      'an existing cluster and a name',
      { adopt: { id: uuid }, name: 'nightly' },
      'name: Forbidden: set either adopt or name, not both',
    ],
    [
      'a lifecycle of an existing cluster that may stay',
      { adopt: { id: uuid }, lifecycle: { deleteAfterSeconds: 60 } },
      'lifecycle: Invalid value: .*the lifecycle of an adopted cluster needs deletionPolicy',
    ],
    [
      'a lifecycle without a deadline',
      { lifecycle: { onExpiry: 'Release' } },
      'lifecycle: Required value: set idleDeleteAfterSeconds, deleteAfterSeconds or deleteAt, or remove lifecycle',
    ],
    ...['tomorrow', '2026-06-30', '2026-06-30T18:00:00', '2026-13-01T00:00:00Z', '2026-06-30T24:00:00Z'].map(
      (deleteAt): Row => [
        `the time ${deleteAt}`,
        { lifecycle: { deleteAt } },
        'lifecycle.deleteAt: .*must be a time with its zone, as RFC 3339 has it',
      ],
    ),
    [
      'an idle time that is shorter than a pause between two jobs',
      { lifecycle: { idleDeleteAfterSeconds: 299 } },
      'lifecycle.idleDeleteAfterSeconds: .*should be greater than or equal to 300',
    ],
    [
      'a lifecycle that releases, and leaves the cluster',
      { lifecycle: { deleteAfterSeconds: 60, onExpiry: 'Release' }, deletionPolicy: 'Orphan' },
      'lifecycle.onExpiry: Forbidden: lifecycle.onExpiry Release deletes the cluster in the service, which deletionPolicy Orphan forbids',
    ],
    ['no groups and no template', alone(), 'nodeGroups: Required value: a Cluster without'],
    [
      'only a count and no template',
      alone(inlineGroup, { name: 'b', count: 1 }),
      'nodeGroups: .*in a Cluster without a template each node group needs nodeGroupTemplateRef, nodeGroupTemplateID, or flavorID with nodeProcesses',
    ],
    [
      'a group of two kinds',
      groups({ ...inlineGroup, ...referringGroup }),
      'nodeGroups[0]: Forbidden: a group with a node group template',
    ],
    [
      'a volume of nothing',
      groups({ name: 'a', count: 1, volumesSize: 1 }),
      'nodeGroups[0].flavorID: Required value',
      'nodeGroups[0].nodeProcesses: Required value',
    ],
    ['an image by name', { defaultImageID: 'ubuntu' }, `defaultImageID: .*${notUuid}`],
    ['a network by name', { networkManagementNetwork: 'private' }, `networkManagementNetwork: .*${notUuid}`],
    ['a key pair with a slash', { userKeypairID: 'a/b' }, 'userKeypairID: .*must be letters, digits, spaces, - and _'],
  ],
  ImageRegistration: [
    unknown('user'),
    ['no image', { imageID: undefined }, 'imageID: Required value'],
    ['an image by name', { imageID: 'ubuntu' }, `imageID: .*${notUuid}`],
    ['no user', { username: undefined }, 'username: Required value'],
    [
      'an empty user',
      { username: '' },
      'username: .*at least 1 chars',
      'username: .*must be the name of a user of the operating system',
    ],
    ['a user with a blank', { username: 'a b' }, 'username: .*must be the name of a user of the operating system'],
    ['a tag with a blank', { tags: ['a b'] }, 'tags[0]: .*must be letters, digits, - and _ in dot-separated labels'],
    ['a tag twice', { tags: ['a', 'a'] }, 'tags[1]: Duplicate value', applying('tags: duplicate entries')],
  ],
  JobExecution: [
    unknown('image', 'spark'),
    ['no job', whole({ clusterRef: { name: 'small' } }), 'jobRef: Required value: give jobRef, jobID or job'],
    [
      'no cluster',
      whole({ jobRef: { name: 'words' } }),
      'clusterRef: Required value: give clusterRef, clusterID or cluster',
    ],
    ['two jobs', { jobID: uuid }, 'job: Forbidden: set only one of jobRef, jobID and job'],
    ['two clusters', { clusterID: uuid }, 'cluster: Forbidden: set only one of clusterRef, clusterID and cluster'],
    [
      'a job of its own that is incomplete',
      whole({ job: { type: 'Spark' }, clusterID: uuid }),
      'job.mains: Required value: a job of this type needs mains',
    ],
    [
      'a cluster of its own that is incomplete',
      whole({ jobID: uuid, cluster: { keepOnFailureSeconds: 5 } }),
      'cluster.pluginName: Required value: a Cluster without a template needs pluginName',
      'cluster.bigdataVersion: Required value: a Cluster without a template needs bigdataVersion',
      'cluster.nodeGroups: Required value: a Cluster without a template needs nodeGroups',
    ],
    [
      'two inputs',
      { inputRef: { name: 'a' }, inputID: uuid },
      'inputID: Forbidden: set either inputRef or inputID, not both',
    ],
    [
      'two outputs',
      { outputRef: { name: 'a' }, outputID: uuid },
      'outputID: Forbidden: set either outputRef or outputID, not both',
    ],
    ['a job by name', whole({ jobID: 'words', clusterID: uuid }), `jobID: .*${notUuid}`],
    [
      'a number in configs',
      { configs: { 'mapreduce.job.reduces': 2 } },
      'configs.mapreduce.job.reduces: .*must be of type string',
      applying('configs.mapreduce.job.reduces: expected string'),
    ],
    ...(['configs', 'params', 'interface', 'args'] as const).map((field): Row => {
      const texts = Array.from({ length: 17 }, () => 'x'.repeat(4_000));
      const long = 'is longer than 65536 characters together: put long values into a file that the job reads';
      return [
        `too much in ${field}`,
        { [field]: field === 'args' ? texts : Object.fromEntries(texts.entries()) },
        `${field}: .*${long}`,
      ];
    }),
    ['no time at all', { activeDeadlineSeconds: 0 }, 'activeDeadlineSeconds: .*greater than or equal to 1'],
    ['an end before the end', { ttlSecondsAfterFinished: -1 }, 'ttlSecondsAfterFinished: .*greater than or equal to 0'],
    ['endless retries', { retries: 21 }, 'retries: .*less than or equal to 20'],
    ['an unknown word for an unknown outcome', { onUnknown: 'Rerun' }, 'onUnknown: Unsupported value: "Rerun"'],
  ],
  NodeGroup: [
    unknown('replicas'),
    ['no Cluster', { clusterRef: undefined }, 'clusterRef: Required value'],
    ['no group', { nodeGroup: undefined }, 'nodeGroup: Required value'],
    ['no group by this name', { nodeGroup: 'a_b' }, 'nodeGroup: .*must be letters, digits and hyphens'],
    ['no count', { count: undefined }, 'count: Required value'],
    [
      'a negative count',
      { count: -1 },
      'count: .*greater than or equal to 0',
      // The subresource scale asks for it once more.
      '.spec.count: .*should be a non-negative integer',
    ],
    ['more nodes than any cluster has', { count: 10_001 }, 'count: .*less than or equal to 10000'],
    ['autoscaling without a bound', { autoscaling: { minCount: 1 } }, 'autoscaling.maxCount: Required value'],
    ['autoscaling to nothing', { autoscaling: { minCount: 0, maxCount: 0 } }, 'autoscaling.maxCount: .*equal to 1'],
    [
      'bounds in the wrong order',
      { autoscaling: { minCount: 3, maxCount: 2 } },
      'autoscaling.minCount: .*must not be larger than maxCount: lower minCount, or raise maxCount',
    ],
    [
      'a time before now',
      { autoscaling: { maxCount: 2, scaleDownAfterSeconds: -1 } },
      'autoscaling.scaleDownAfterSeconds: .*greater than or equal to 0',
    ],
  ],
  JobSchedule: [
    unknown('jobTemplate', {}),
    ['no times', { schedule: undefined }, 'schedule: Required value'],
    ...['* * * *', '* * * * * *', '@every 5m', 'TZ=UTC * * * * *', '* * * * %', ' * * * * *'].map(
      (schedule): Row => [`at ${schedule}`, { schedule }, 'schedule: .*must be five fields for minute, hour'],
    ),
    ...['+01:00', 'Europe/', 'Europe Berlin'].map(
      (timeZone): Row => [`in ${timeZone}`, { timeZone }, 'timeZone: .*must be a name of the IANA time zone database'],
    ),
    ['another policy', { concurrencyPolicy: 'Queue' }, 'concurrencyPolicy: Unsupported value: "Queue"'],
    ['a negative deadline', { startingDeadlineSeconds: -1 }, 'startingDeadlineSeconds: .*greater than or equal to 0'],
    ['a negative limit', { failedHistoryLimit: -1 }, 'failedHistoryLimit: .*greater than or equal to 0'],
    ['no template', { template: undefined }, 'template: Required value'],
    [
      'a template that runs nowhere',
      { template: { spec: { jobID: uuid } } },
      'template.spec.clusterRef: Required value: give clusterRef, clusterID or cluster',
    ],
    [
      'an annotation of the operator',
      { template: { metadata: { annotations: { 'dataprocessing.dev/ledger': '{}' } }, spec: identifiedRun } },
      'template.metadata.annotations: .*annotations of dataprocessing.dev belong to the operator: remove them',
    ],
  ],
  Job: [
    unknown('streaming', true),
    ['another type', { type: 'Flink' }, 'type: Unsupported value: "Flink"'],
    ...['Pig', 'Hive', 'Shell', 'Spark', 'Storm', 'Storm.Pyleus'].flatMap((type): readonly Row[] => [
      [
        `${type} without mains`,
        whole({ type, libs: program }),
        'mains: Required value: a job of this type needs mains',
      ],
      [`${type} with empty mains`, { type, mains: [] }, 'mains: Required value: a job of this type needs mains'],
    ]),
    ...['Java', 'MapReduce'].flatMap((type): readonly Row[] => [
      [`${type} with mains`, { type, libs: program }, 'mains: Forbidden: a job of this type has no mains'],
      [`${type} without libs`, whole({ type }), 'libs: Required value: a job of this type needs libs'],
    ]),
    ['streaming with mains', { type: 'MapReduce.Streaming' }, 'mains: Forbidden: a job of this type has no mains'],
    ['Jar with nothing', whole({ type: 'Jar', mains: [] }), 'libs: Required value: a job of this type needs mains or'],
    ['a binary that is none', { mains: [{}] }, 'mains[0]: Required value: give jobBinaryRef or jobBinaryID'],
    [
      'a binary that is two',
      { mains: [{ jobBinaryRef: { name: 'a' }, jobBinaryID: uuid }] },
      'mains[0].jobBinaryID: Forbidden: set either jobBinaryRef or jobBinaryID, not both',
    ],
    ['a binary by name', { mains: [{ jobBinaryID: 'words' }] }, `mains[0].jobBinaryID: .*${notUuid}`],
    [
      'an argument twice',
      { interface: [named, named] },
      `interface[1]: ${duplicate('text')}`,
      applying('interface: duplicate entries'),
    ],
    [
      'an argument that is nowhere',
      { interface: [{ ...named, mappingType: 'env' }] },
      'interface[0].mappingType: Unsupported value: "env"',
    ],
    ['a type that is none', { interface: [{ ...named, valueType: 'date' }] }, 'interface[0].valueType: Unsupported'],
    ['nothing of need', { interface: [{ ...named, required: undefined }] }, 'interface[0].required: Required value'],
  ],
  JobBinary: [
    [
      'credentials for what has none',
      { url: 'file:///a.py', credentialsSecretRef: { name: 'keys' } },
      'credentialsSecretRef: .*only URLs with swift:// or s3:// or s3a:// or https:// have credentials: remove credentialsSecretRef, or change url',
    ],
    unknown('extra'),
    ...[
      'https://ann:pw@host/a.py',
      'https://token@host/a.py',
      's3a://KEY:SECRET@b/a.jar',
      's3a://KEY:SEC/RET@b/a.jar',
      's3://KEY:SEC/RET@b/a.jar',
      'hdfs://ann:pw@host/a.jar',
    ].map((url): Row => [`a secret in ${url}`, { url }, 'url: .*which belong into the Secret of credentialsSecretRef']),
    [
      'no place',
      whole({}),
      'spec: Required value: give url, which names where the file is, or content, which has its bytes',
    ],
    ['two places', { content: inline }, 'content: Forbidden: set either url or content, not both'],
    ['no bytes', whole({ content: {} }), 'content: Required value: give inline, configMapKeyRef or secretKeyRef'],
    [
      'bytes of two places',
      whole({ content: { ...inline, secretKeyRef: keyOfPrograms } }),
      'content: Forbidden: set only one of inline, configMapKeyRef and secretKeyRef',
    ],
    [
      'bytes without a name',
      whole({ content: { inline: 'a' } }),
      'content.fileName: Required value: give the file a name, such as wordcount.py',
    ],
    [
      'a name with a folder',
      whole({ content: { ...inline, fileName: 'a/b.py' } }),
      'content.fileName: .*must consist of letters, digits, hyphens, dots and underscores',
    ],
    [
      'a name that leads to another folder',
      whole({ content: { ...inline, fileName: '..' } }),
      'content.fileName: .*must consist of letters, digits, hyphens, dots and underscores, and not begin with a dot',
    ],
    [
      'a name with a NUL character',
      whole({ content: { ...inline, fileName: 'a\0.py' } }),
      'content.fileName: .*must consist of letters, digits, hyphens, dots and underscores',
    ],
    ...['token', 'clouds.yaml', 'ca.crt'].map(
      (key): Row => [
        `the credentials of a Connection as bytes (${key})`,
        whole({ content: { secretKeyRef: { name: 'programs', key } } }),
        'content.secretKeyRef.key: .*must not be one that a Connection reads, .*: put the file under another key',
      ],
    ),
    [
      'too many characters',
      whole({ content: { ...inline, inline: 'a'.repeat(65_537) } }),
      'content.inline: Too long: may not be (longer|more) than 65536',
    ],
    [
      'too many bytes',
      whole({ content: { ...inline, inline: 'é'.repeat(32_769) } }),
      'content.inline: .*is larger than 65536 bytes: put it in a ConfigMap and set configMapKeyRef',
    ],
    [
      'bytes and credentials',
      whole({ content: inline, credentialsSecretRef: { name: 'keys' } }),
      'credentialsSecretRef: .*only URLs with swift:// or s3:// or s3a:// or https:// have credentials',
    ],
    ...fileUrls.unfit.map((url): Row => [`at ${url}`, { url }, 'url: .*must be internal-db://ID with the identifier']),
  ],
  DataSource: [
    [
      'credentials for what has none',
      { type: 'hdfs', url: '/a', credentialsSecretRef: { name: 'keys' } },
      'credentialsSecretRef: .*only swift and s3 have credentials: remove credentialsSecretRef, or change type',
    ],
    unknown('credentials'),
    ['another type', { type: 'file' }, 'type: Unsupported value: "file"'],
    ['no place', { url: undefined }, 'url: Required value'],
    ...(
      [
        ['s3', 's3a://KEY:SECRET@bucket/key'],
        ['s3', 's3://KEY:SEC/RET@bucket/key'],
        ['maprfs', 'maprfs://ann:pw@cluster/a'],
        ['swift', 'swift://ann:pw@container/object'],
        ['hdfs', 'hdfs://ann:pw@host/a'],
      ] as const
    ).map(([type, url]): Row => [`a secret in ${url}`, { type, url }, 'url: ']),
    ['a place that no database keeps', { url: `/${'a'.repeat(255)}` }, `url: ${tooLong(255)}`],
    ...Object.entries(placeForms).flatMap(([type, { unfit: urls }]) =>
      urls.map(
        (url): Row => [
          `of the type ${type} at ${url}`,
          { type, url },
          `url: .*for the type ${type}, url must have the form`,
        ],
      ),
    ),
  ],
};

const kinds = definitions.map(({ kind }) => kind);

export const samples: readonly Sample[] = kinds.flatMap((kind) => [
  { name: `${kind} with what is required`, kind, spec: smallest[kind] },
  { name: `${kind} with every field set`, kind, spec: largest[kind] },
  ...good[kind].map(([what, change]) => ({ name: `${kind}: ${what}`, kind, spec: specOf(kind, change) })),
]);

/** In a pattern, brackets of a path stand for themselves, and so does its beginning. */
const pattern = (complaint: string): string => {
  const path = complaint.replaceAll(/\[(\d)\]/g, String.raw`\[$1\]`);
  return /^(400|spec|\.spec\.count): /.test(path) ? `^${path}` : `^spec.${path}`;
};

export const refusals: readonly Refusal[] = kinds.flatMap((kind) =>
  bad[kind].map(([what, change, ...words]) => {
    const complaints = words.filter((one) => typeof one === 'string').map(pattern);
    const own = words.find((one) => typeof one !== 'string');
    return { name: `${kind}: ${what}`, kind, spec: specOf(kind, change), complaints, applying: own?.applying };
  }),
);
