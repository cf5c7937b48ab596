// What a flavor can say about its pods, and what is refused when the service starts.
import { describe, expect, test } from 'vitest';
import { parseFlavors } from '../../../../../src/service/backends/flavors-file.ts';
import { full } from './full-pod.ts';

/** The only flavor of a file, whose pods have these settings. */
function read(pod: unknown) {
  const content = JSON.stringify({ flavors: { x: { cores: 1, memoryMiB: 1024, pod } } });
  return parseFlavors(content).flavors[0]?.pod;
}

test('all that is allowed arrives as it is', () => {
  expect(read(full)).toEqual(full);
  expect(read({ resources: { limits: { 'nvidia.com/gpu': 1 } } })).toEqual({
    resources: { limits: { 'nvidia.com/gpu': '1' } },
  });
});

const volume = (source: object, name = 'v') => ({ volumes: [{ name, ...source }] });
const mount = (mountPath: unknown, more: object = {}) => ({
  ...volume({ emptyDir: {} }),
  volumeMounts: [{ name: 'v', mountPath, ...more }],
});
const variable = (more: object, name = 'NAME') => ({ env: [{ name, ...more }] });
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

type Row = readonly [pod: object, problem: string];

/** What the restricted Pod Security Standard refuses, or what would get around it. */
const insecure: readonly Row[] = [
  ...['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'].map(
    (field): Row => [{ [field]: true }, `${field}: is not allowed here; allowed are nodeSelector, tolerations, `],
  ),
  ...['securityContext', 'containers', 'initContainers', 'ephemeralContainers', 'os', 'imagePullSecrets', 'spec'].map(
    (field): Row => [{ [field]: {} }, `${field}: is not allowed here`],
  ),
  ...['nodeName', 'schedulerName', 'restartPolicy', 'serviceAccount', 'hostname', 'dnsPolicy', 'overhead'].map(
    (field): Row => [{ [field]: 'x' }, `${field}: is not allowed here`],
  ),
  [{ 'containers[0].securityContext': {} }, '[containers[0].securityContext]: is not allowed here'],
  [volume({ hostPath: { path: '/' } }), 'volumes.0.hostPath: is not allowed here; allowed are name, configMap, secret'],
  [volume({ emptyDir: {}, hostPath: { path: '/' } }), 'volumes.0.hostPath: is not allowed here'],
  ...['nfs', 'iscsi', 'gcePersistentDisk', 'image', 'ephemeral', 'downwardAPI', 'flexVolume'].map(
    (source): Row => [volume({ [source]: {} }), `volumes.0.${source}: is not allowed here`],
  ),
  [
    volume({ projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }),
    'volumes.0.projected: is not allowed here',
  ],
  [volume({ csi: { driver: 'hostpath.csi.k8s.io' } }), 'volumes.0.csi.driver: hostpath.csi.k8s.io cannot be used'],
  [volume({ csi: { driver: 'a.example', hostPath: '/' } }), 'volumes.0.csi.hostPath: is not allowed here'],
  [
    volume({ csi: { driver: 'a.example', volumeAttributes: { a: { hostPath: '/' } } } }),
    'volumes.0.csi.volumeAttributes.a: ',
  ],
  [volume({ secret: { secretName: 's', defaultMode: 511 } }), 'volumes.0.secret.defaultMode: is not allowed here'],
  [mount('/v', { mountPropagation: 'Bidirectional' }), 'volumeMounts.0.mountPropagation: is not allowed here'],
  [mount('/v', { subPathExpr: '$(HOME)' }), 'volumeMounts.0.subPathExpr: is not allowed here'],
  [mount('/v', { subPath: '../../etc' }), 'volumeMounts.0.subPath: must be a relative path without ..'],
  [mount('/v', { subPath: '/etc' }), 'volumeMounts.0.subPath: must be a relative path without ..'],
  [
    volume({ secret: { secretName: 's', items: [{ key: 'k', path: '../k' }] } }),
    'volumes.0.secret.items.0.path: must be a relative path without ..',
  ],
  [{ resources: { limits: {}, claims: [] } }, 'resources.claims: is not allowed here; allowed are limits, requests'],
  [{ automountServiceAccountToken: true }, 'automountServiceAccountToken: needs serviceAccountName'],
  [{ serviceAccountName: '../default' }, 'serviceAccountName: must be the name of an object'],
  [{ priorityClassName: 'system-node-critical' }, 'priorityClassName: is a priority of the system'],
  ...[
    'container.apparmor.security.beta.kubernetes.io/program',
    'seccomp.security.alpha.kubernetes.io/pod',
    'container.seccomp.security.alpha.kubernetes.io/program',
    'security.alpha.kubernetes.io/unsafe-sysctls',
  ].map(
    (key): Row => [
      { annotations: { [key]: 'unconfined' } },
      `annotations[${key}]: all pods meet the restricted Pod Security Standard`,
    ],
  ),
];

/** What the service or Kubernetes sets. */
const reserved: readonly Row[] = [
  ...['dataprocessing.dev/cluster-id', 'process.dataprocessing.dev/x', 'dataprocessing.dev/job-execution-id'].map(
    (key): Row => [{ labels: { [key]: 'x' } }, `labels[${key}]: it is in the domain dataprocessing.dev`],
  ),
  ...[
    'app.kubernetes.io/name',
    'app.kubernetes.io/managed-by',
    'batch.kubernetes.io/job-name',
    'statefulset.kubernetes.io/pod-name',
    'kubernetes.io/metadata.name',
  ].map((key): Row => [{ labels: { [key]: 'x' } }, `labels[${key}]: the service or Kubernetes sets it`]),
  [
    { labels: { 'kueue.x-k8s.io/queue-name': 'x' } },
    'labels[kueue.x-k8s.io/queue-name]: each pod would wait alone; set queue of the flavor',
  ],
  [{ labels: { 'job-name': 'x' } }, 'labels.job-name: the service or Kubernetes sets it'],
  [
    { annotations: { 'dataprocessing.dev/files': 'x' } },
    'annotations[dataprocessing.dev/files]: it is in the domain dataprocessing.dev',
  ],
  [
    { annotations: { 'kubernetes.io/config.mirror': 'x' } },
    'annotations[kubernetes.io/config.mirror]: Kubernetes sets',
  ],
  ...['HOME', 'POD_NAME', 'POD_IP', 'DATAPROCESSING_ADDRESS', 'RUN_URL', 'KUBERNETES_SERVICE_HOST'].map(
    (name): Row => [variable({ value: 'x' }, name), `env.0.name: ${name} cannot be used: the service sets it`],
  ),
  ...['SPARK_HOME', 'SPARK_LOCAL_IP', 'HADOOP_USER_NAME', 'HADOOP_CONF_DIR', 'FLINK_CONF_DIR', 'JAVA_HOME'].map(
    (name): Row => [variable({ value: 'x' }, name), `env.0.name: ${name} cannot be used: the service sets it`],
  ),
  ...['machine', 'tmp', 'files', 'state', 'data0', 'data17', 'run', 'token', 'kube-api-access-x'].map(
    (name): Row => [volume({ emptyDir: {} }, name), `volumes.0.name: ${name} cannot be used: `],
  ),
  ...[
    ['/machine', 'service mounts /machine'],
    ['/machine/conf', 'service mounts /machine'],
    ['/tmp', 'service mounts /tmp'],
    ['/tmp/x', 'service mounts /tmp'],
    ['/files', 'service mounts /files'],
    ['/run', 'service mounts /run/job'],
    ['/run/job/work', 'service mounts /run/job'],
    ['/run/token', 'service mounts /run/token'],
    ['/var/run', 'service mounts /run/job'],
    ['/var/run/token', 'service mounts /run/token'],
    ['/proc/self', 'system mounts /proc'],
    ['/sys', 'system mounts /sys'],
    ['/dev/shm', 'system mounts /dev'],
    ['/etc', 'system mounts /etc/hosts'],
    ['/var/run/secrets/kubernetes.io/serviceaccount', 'system mounts /run/secrets'],
  ].map(([path, why]): Row => [mount(path), `volumeMounts.0.mountPath: ${path} cannot be used: the ${why}; `]),
  [{ resources: { limits: { cpu: '100' } } }, 'resources.limits.cpu: is set by cores of the flavor'],
  [{ resources: { limits: { memory: '1' } } }, 'resources.limits.memory: is set by memoryMiB of the flavor'],
  [{ resources: { limits: { 'ephemeral-storage': '1' } } }, 'resources.limits.ephemeral-storage: is set by diskGiB'],
];

const selecting = (requirement: object) => ({ labelSelector: { matchExpressions: [{ key: 'a', ...requirement }] } });
const expression = '0.labelSelector.matchExpressions.0.values';
const spreadsOf = (...rows: readonly (readonly [spreads: readonly object[], problem: string])[]): readonly Row[] =>
  rows.map(([spreads, problem]) => {
    const usual = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };
    const topologySpreadConstraints = spreads.map((spread) => ({ ...usual, ...spread }));
    return [{ topologySpreadConstraints }, `topologySpreadConstraints.${problem}`];
  });
const nodeTermsOf = (...rows: readonly Row[]): readonly Row[] =>
  rows.map(([term, problem]) => {
    const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: [term] };
    const at = 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0';
    return [{ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } }, `${at}.${problem}`];
  });

/** What Kubernetes would refuse, or take for something else. */
const wrong: readonly Row[] = [
  [{ labels: { 'a/b/c': 'x' } }, 'labels[a/b/c]: its key must be a name such as team or example.com/team'],
  [{ labels: { '': 'x' } }, 'labels.: its key must be a name'],
  [{ labels: { team: 'x'.repeat(64) } }, 'labels.team: '],
  [{ labels: { team: 'a b' } }, 'labels.team: must be the value of a label'],
  [{ labels: { team: 'a\n' } }, 'labels.team: must be the value of a label'],
  [{ labels: { team: 1 } }, 'labels.team: '],
  [{ labels: { [`${'x'.repeat(64)}`]: 'x' } }, `labels.${'x'.repeat(64)}: its key must be a name`],
  [{ labels: many(33) }, 'labels: has more than 32 keys; remove some'],
  [{ labels: ['x'] }, 'labels: '],
  [{ annotations: { a: 'x'.repeat(4097) } }, 'annotations.a: '],
  [{ nodeSelector: { 'a b': 'x' } }, 'nodeSelector.a b: its key must be a name'],
  [{ tolerations: [] }, 'tolerations: '],
  [{ tolerations: Array.from({ length: 33 }, () => ({ operator: 'Exists' })) }, 'tolerations: '],
  [{ tolerations: [{}] }, 'tolerations.0.key: is missing; without it, the operator must be Exists'],
  [{ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }, 'tolerations.0.value: cannot be given'],
  [
    { tolerations: [{ key: 'a', tolerationSeconds: 1 }] },
    'tolerations.0.tolerationSeconds: needs the effect NoExecute',
  ],
  [{ tolerations: [{ key: 'a', operator: 'Like' }] }, 'tolerations.0.operator: '],
  [{ affinity: { nodeAffinity: { required: [] } } }, 'affinity.nodeAffinity.required: is not allowed here'],
  [{ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a' }] }, 'topologySpreadConstraints.0.maxSkew: '],
  ...spreadsOf(
    [[{}, {}], '1.topologyKey: zone with ScheduleAnyway is there twice; remove one of them'],
    [[{ minDomains: 2 }], '0.minDomains: needs whenUnsatisfiable: DoNotSchedule'],
    [[selecting({ operator: 'In' })], `${expression}: must have at least one value with the operator In`],
    [[selecting({ operator: 'NotIn', values: [] })], `${expression}: must have at least one value with the operator`],
    [[selecting({ operator: 'Exists', values: ['b'] })], `${expression}: cannot be given with the operator Exists`],
  ),
  ...nodeTermsOf(
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, 'matchExpressions.0.values: must have at least one value'],
    [
      { matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['b'] }] },
      'matchExpressions.0.values: cannot be given with the operator DoesNotExist',
    ],
    ...[undefined, [], ['1', '2']].map(
      (values): Row => [
        { matchExpressions: [{ key: 'a', operator: 'Gt', values }] },
        'matchExpressions.0.values: must have exactly one value with the operator Gt',
      ],
    ),
    [{ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }, 'matchFields.0.key: '],
    [{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }, 'matchFields.0.operator: '],
    [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }, 'matchFields.0.values: '],
  ),
  ...['matchLabelKeys', 'mismatchLabelKeys'].map((field): Row => {
    const requiredDuringSchedulingIgnoredDuringExecution = [{ topologyKey: 'zone', [field]: ['app'] }];
    return [
      { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } },
      `affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.0.${field}: needs a labelSelector`,
    ];
  }),
  [{ resources: { limits: { gpu: 1 } } }, 'resources.limits.gpu: is not allowed here; allowed are devices'],
  [{ resources: { limits: { 'hugepages-2Mi': 1 } } }, 'resources.limits.hugepages-2Mi: is not allowed here'],
  [{ resources: { limits: { 'kubernetes.io/batch': 1 } } }, 'resources.limits[kubernetes.io/batch]: is not allowed'],
  [{ resources: { limits: { constructor: 1 } } }, 'resources.limits.constructor: is not allowed here'],
  [{ resources: { limits: { 'nvidia.com/gpu': 0.5 } } }, 'resources.limits[nvidia.com/gpu]: must be a whole number'],
  [{ resources: { limits: { 'nvidia.com/gpu': -1 } } }, 'resources.limits[nvidia.com/gpu]: must be a whole number'],
  [{ resources: { requests: { 'nvidia.com/gpu': 1 } } }, 'resources.limits: '],
  [
    { resources: { limits: { 'nvidia.com/gpu': 1 }, requests: { 'nvidia.com/gpu': 2 } } },
    'resources.requests[nvidia.com/gpu]: must be the same in limits',
  ],
  [variable({}), 'env.0: needs exactly one of value, valueFrom, and has none of them'],
  [
    variable({ value: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    'env.0: needs exactly one of value, valueFrom, and has value and valueFrom',
  ],
  [variable({ value: 1 }), 'env.0.value: '],
  [variable({ value: 'a\0b' }), 'env.0.value: has a NUL character'],
  [variable({ value: 'x'.repeat(4097) }), 'env.0.value: '],
  [variable({ valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }), 'env.0.valueFrom.fieldRef.fieldPath: '],
  [variable({ value: '' }, 'A-B'), 'env.0.name: must be the name of a variable'],
  [variable({ value: '' }, 'A=B'), 'env.0.name: must be the name of a variable'],
  [{ env: [1, 2].map(() => ({ name: 'A', value: '' })) }, 'env.1.name: A is there twice; remove one of them'],
  [{ envFrom: [{ prefix: 'A_' }] }, 'envFrom.0: needs exactly one of secretRef, configMapRef'],
  [{ envFrom: [{ secretRef: { name: 'a', namespace: 'other' } }] }, 'envFrom.0.secretRef.namespace: is not allowed'],
  [volume({}), 'volumes.0: needs exactly one of configMap, secret, persistentVolumeClaim, emptyDir, csi'],
  [volume({ emptyDir: {}, secret: { secretName: 's' } }), 'volumes.0: needs exactly one of '],
  [volume({ emptyDir: {} }, 'A_B'), 'volumes.0.name: must be the name of a volume'],
  [volume({ emptyDir: { medium: 'Memory' } }), 'volumes.0.emptyDir.sizeLimit: is missing'],
  [volume({ emptyDir: { sizeLimit: 'all' } }), 'volumes.0.emptyDir.sizeLimit: must be a size such as 2Gi'],
  [{ volumes: [1, 2].map(() => ({ name: 'v', emptyDir: {} })) }, 'volumes.1.name: v is there twice'],
  [{ volumeMounts: [{ name: 'other', mountPath: '/v' }] }, 'volumeMounts.0.name: there is no volume other'],
  [{ volumeMounts: [{ name: 'machine', mountPath: '/v' }] }, 'volumeMounts.0.name: there is no volume machine'],
  [
    { ...volume({ emptyDir: {} }), volumeMounts: [1, 2].map(() => ({ name: 'v', mountPath: '/v' })) },
    'volumeMounts.1.mountPath: /v is there twice',
  ],
  ...['v', '/', '/v/', '/v/../machine', '//machine', '/./machine', ''].map(
    (path): Row => [mount(path), 'volumeMounts.0.mountPath: must be an absolute path such as /data'],
  ),
  [mount('/a:/machine'), 'volumeMounts.0.mountPath: must have no colon'],
  [
    { env: Array.from({ length: 30 }, (_, index) => ({ name: `A${index}`, value: 'x'.repeat(1200) })) },
    ': has 36779 characters as JSON, and can have 32768; shorten it',
  ],
];

describe.each([
  ['gets around the security of pods', insecure],
  ['the service or Kubernetes sets', reserved],
  ['is wrong or too large', wrong],
])('what %s', (_what, rows) => {
  test.each(rows.map(([pod, problem]) => [problem, pod] as const))('%s is refused', (problem, pod) => {
    const at = problem.startsWith('[') || problem.startsWith(':') ? '' : '.';
    expect(() => read(pod)).toThrow(`flavors.x.pod${at}${problem}`);
  });
});

test('a key with the name of the prototype is refused wherever it is', () => {
  const text = 'flavors: { x: { cores: 1, memoryMiB: 1024, pod: { labels: { __proto__: a } } } }';
  expect(() => parseFlavors(text)).toThrow('it has the key __proto__');
});

test('messages quote no value of a variable', () => {
  const problem = () => read(variable({ value: `a-secret\0${'x'.repeat(5000)}` }));
  expect(problem).toThrow('env.0.value');
  expect(problem).not.toThrow('a-secret');
});
