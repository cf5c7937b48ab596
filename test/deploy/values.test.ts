// Every value of the chart has a comment, a schema and an effect. Which ones are refused: values.long.test.ts.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Manifest, titleOf } from '../../dev/demo/manifests.ts';
import { valuesOf } from '../../dev/generate/values-table.ts';
import { readConfig } from '../../src/operator/config.ts';
import { flags } from '../../src/operator/operator-flags.ts';
import { podOf } from '../e2e/support/installation.ts';
import { chart, helm, render } from '../support/kubernetes/helm.ts';

const text = await readFile(join(chart, 'values.yaml'), 'utf8');
const values = valuesOf(text);

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')) as Schema;

/** The paths of the schema that have no further properties. */
function leavesOf(part: Schema, path: readonly string[] = []): readonly string[] {
  const [, name] = part.$ref?.split('#/definitions/') ?? [];
  const { properties } = name === undefined ? part : (schema.definitions?.[name] ?? {});
  if (properties === undefined) return [path.join('.')];
  if (part.$ref === undefined) expect(part.additionalProperties, path.join('.')).toBe(false);
  return Object.entries(properties).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

test('the schema has the values of values.yaml, and nothing else', () => {
  // For charts that depend on this one.
  const foreign = ['global', 'enabled'];
  expect(leavesOf(schema).toSorted()).toEqual([...values.map(({ path }) => path), ...foreign].toSorted());
});

test('a value without a comment has no place in the table', () => {
  expect(() => valuesOf('# one\na: 1\nb: 2\n')).toThrow('cannot describe b: it has no comment in values.yaml');
  expect(valuesOf('a:\n  # one\n  # more\n  b: {}\n  # two\n  c: [1]\n')).toEqual([
    { path: 'a.b', usual: {}, description: 'one more' },
    { path: 'a.c', usual: [1], description: 'two' },
  ]);
});

/** The value, and a text that is in the manifests only with it, or only without it. */
type Sample = readonly [value: unknown, effect: string | { readonly gone: string }];

/** What is off by default. Everything below is rendered with it. */
const switches: Readonly<Record<string, Sample>> = {
  'metrics.podMonitor.enabled': [true, 'kind: PodMonitor'],
  'metrics.serviceMonitor.enabled': [true, 'kind: ServiceMonitor'],
  'metrics.prometheusRule.enabled': [true, 'kind: PrometheusRule'],
  'metrics.dashboard.enabled': [true, 'name: dataprocessing-operator-dashboard'],
  'web.enabled': [true, 'title: ClusterRoleBinding dataprocessing-operator-web-'],
  'web.service.enabled': [true, 'title: Service dataprocessing-operator-web'],
  'approvalsPolicy.create': [true, 'title: ValidatingAdmissionPolicy dataprocessing-operator-approvals'],
  'service.enabled': [true, 'name: dataprocessing-service'],
};

/** For each other value another one than the default, in rounds: values of one round do not exclude each other. */
const rounds: readonly Readonly<Record<string, Sample>>[] = [
  {
    replicas: [3, 'replicas: 3'],
    'image.repository': ['registry.example.com/team/operator', 'image: registry.example.com/team/operator'],
    'image.tag': ['1.2.3', ':1.2.3'],
    'image.pullPolicy': ['Never', 'imagePullPolicy: Never'],
    imagePullSecrets: [[{ name: 'for-registry' }], 'name: for-registry'],
    watchNamespaces: [['dataprocessing-demo', 'team-b'], 'namespace: team-b'],
    watchAllNamespaces: [false, { gone: 'title: ClusterRole dataprocessing-operator' }],
    installation: ['our-installation', 'value: our-installation'],
    logLevel: ['debug', 'value: debug'],
    quarantine: ['16m', 'value: 16m'],
    shutdownTimeout: ['21s', 'value: 21s'],
    'leaderElection.leaseDuration': ['16s', 'value: 16s'],
    'leaderElection.renewDeadline': ['11s', 'value: 11s'],
    'leaderElection.retryPeriod': ['3s', 'value: 3s'],
    'proxy.httpsProxy': ['http://proxy-a:3128', 'value: http://proxy-a:3128'],
    'proxy.httpProxy': ['http://proxy-b:3128', 'value: http://proxy-b:3128'],
    'proxy.noProxy': ['.without-proxy', 'value: .without-proxy'],
    'proxy.existingSecret': ['secret-of-proxy', 'name: secret-of-proxy'],
    extraArgs: [['--log-level=warn'], '- --log-level=warn'],
    extraEnv: [[{ name: 'MORE', value: 'more-env' }], 'value: more-env'],
    extraVolumes: [[{ name: 'more-volume', emptyDir: {} }], 'name: more-volume'],
    extraVolumeMounts: [[{ name: 'more-volume', mountPath: '/more' }], 'mountPath: /more'],
    resources: [{ limits: { memory: '513Mi' } }, 'memory: 513Mi'],
    podSecurityContext: [{ runAsUser: 1234 }, 'runAsUser: 1234'],
    securityContext: [{ runAsGroup: 1235 }, 'runAsGroup: 1235'],
    nodeSelector: [{ disk: 'operator-nodes' }, 'disk: operator-nodes'],
    tolerations: [[{ key: 'operator-taint' }], 'key: operator-taint'],
    affinity: [{ nodeAffinity: { test: 'operator-affinity' } }, 'test: operator-affinity'],
    topologySpreadConstraints: [[{ topologyKey: 'zone-of-operator' }], 'topologyKey: zone-of-operator'],
    priorityClassName: ['important', 'priorityClassName: important'],
    terminationGracePeriodSeconds: [31, 'terminationGracePeriodSeconds: 31'],
    commonLabels: [{ team: 'everywhere' }, 'team: everywhere'],
    annotations: [{ note: 'of-deployment' }, 'note: of-deployment'],
    podAnnotations: [{ note: 'of-pod' }, 'note: of-pod'],
    podLabels: [{ tier: 'of-pod-label' }, 'tier: of-pod-label'],
    'serviceAccount.name': ['other-account', "endsWith(':other-account')"],
    'serviceAccount.annotations': [{ note: 'of-account' }, 'note: of-account'],
    'networkPolicy.ingressFrom': [[{ podSelector: { test: 'prometheus' } }], 'test: prometheus'],
    'networkPolicy.egress': [[{ ports: [{ port: 4444 }] }], 'port: 4444'],
    'networkPolicy.extraEgress': [[{ ports: [{ port: 3128 }] }], 'port: 3128'],
    'metrics.port': [9090, 'value: :9090'],
    'metrics.podMonitor.interval': ['61s', 'interval: 61s'],
    'metrics.podMonitor.labels': [{ select: 'pods' }, 'select: pods'],
    'metrics.serviceMonitor.interval': ['62s', 'interval: 62s'],
    'metrics.serviceMonitor.labels': [{ select: 'services' }, 'select: services'],
    'metrics.prometheusRule.labels': [{ select: 'rules' }, 'select: rules'],
    'metrics.prometheusRule.runbookBase': [
      'https://git.example/operator/',
      'runbook_url: https://git.example/operator/docs/reference/metrics-and-alerts.md#dataprocessingoperatordown',
    ],
    'metrics.dashboard.labels': [{ select: 'dashboards' }, 'select: dashboards'],
    'web.port': [9091, 'value: :9091'],
    'web.ingressFrom': [[{ podSelector: { test: 'ingress-controller' } }], 'test: ingress-controller'],
    'service.namespace': ['team-b', 'dataprocessing-service.team-b.svc'],
    'service.tenantNamespaces': [{ 'tenant-a': 'clusters-a' }, 'namespace: clusters-a'],
    'service.clusterNamespaces': [['clusters-b'], 'namespace: clusters-b'],
    'service.engineImages': [
      { spark: { reference: 'registry.example/spark:1' } },
      'reference: registry.example/spark:1',
    ],
    'service.flavors': [{ tall: { cores: 1, memoryMiB: 515 } }, 'memoryMiB: 515'],
    'service.defaultJobFlavor': ['tall', 'defaultJobFlavor: tall'],
    'service.jobQueues': [['night'], 'jobQueues:'],
    'service.storageClass': ['for-machines', '- --storage-class=for-machines'],
    'service.stateSize': [0, '- --state-size=0'],
    'service.egress': [['10.1.0.0/16'], '- --egress=10.1.0.0/16'],
    'service.historyUrl': ['https://history.example', '- --history-url=https://history.example'],
    'service.engineMetrics': [true, '- --engine-metrics'],
    'service.metricsFrom': [['monitoring/app=prometheus'], '- --metrics-from=monitoring/app=prometheus'],
    'service.allowFetchFrom': [['10.2.0.0/16'], '- --allow-fetch-from=10.2.0.0/16'],
    'service.denyFetchFrom': [['10.3.0.0/16'], '- --deny-fetch-from=10.3.0.0/16'],
    'service.dns': [['dns/app=coredns'], '- --dns=dns/app=coredns'],
    'service.allowExposure': [['NodePort', 'Ingress'], '- --allow-exposure=NodePort'],
    'service.ingressDomain': ['data.example.com', '- --ingress-domain=data.example.com'],
    'service.ingressClass': ['nginx', '- --ingress-class=nginx'],
    'service.clusterDomain': ['kube.example', '- --cluster-domain=kube.example'],
    'service.webPage': [true, '- --web-page'],
    'service.maxConcurrent': [100_000, '- --max-concurrent=100000'],
    'service.logLevel': ['warn', '- --log-level=warn'],
    'service.imagePullSecrets': [[{ name: 'for-engines' }], '- --image-pull-secret=for-engines'],
    'service.token.value': ['a-token', `token: ${Buffer.from('a-token').toString('base64')}`],
    'service.connection.name': ['simulated', 'name: simulated'],
    'service.connection.tenantID': ['our-tenant', 'tenantID: our-tenant'],
    'service.persistence.storageClass': ['fast', 'storageClassName: fast'],
    'service.persistence.size': ['2Gi', 'storage: 2Gi'],
    'service.extraArgs': [['--stage-ms=100'], '- --stage-ms=100'],
    'service.extraVolumes': [[{ name: 'service-volume', emptyDir: {} }], 'name: service-volume'],
    'service.extraVolumeMounts': [
      [{ name: 'service-volume', mountPath: '/service-mount' }],
      'mountPath: /service-mount',
    ],
    'service.resources': [{ limits: { memory: '514Mi' } }, 'memory: 514Mi'],
    'service.podSecurityContext': [{ fsGroup: 1236 }, 'fsGroup: 1236'],
    'service.securityContext': [{ runAsGroup: 1237 }, 'runAsGroup: 1237'],
    'service.nodeSelector': [{ disk: 'service-nodes' }, 'disk: service-nodes'],
    'service.tolerations': [[{ key: 'service-taint' }], 'key: service-taint'],
    'service.affinity': [{ nodeAffinity: { test: 'service-affinity' } }, 'test: service-affinity'],
    'service.podAnnotations': [{ note: 'of-service-pod' }, 'note: of-service-pod'],
    'service.podLabels': [{ tier: 'of-service-pod-label' }, 'tier: of-service-pod-label'],
  },
  {
    'leaderElection.enabled': [false, { gone: 'type: RollingUpdate' }],
    'serviceAccount.create': [false, { gone: 'title: ServiceAccount dataprocessing-operator' }],
    'rbac.create': [false, { gone: 'title: ClusterRoleBinding dataprocessing-operator' }],
    'rbac.userRoles': [false, { gone: 'title: ClusterRole dataprocessing-operator-view' }],
    'secretsPolicy.create': [false, { gone: 'title: ValidatingAdmissionPolicy dataprocessing-operator-secrets' }],
    'crds.keep': [false, { gone: 'kept: CustomResourceDefinition clusters.dataprocessing.dev' }],
    'podDisruptionBudget.enabled': [false, { gone: 'title: PodDisruptionBudget dataprocessing-operator' }],
    'networkPolicy.enabled': [false, { gone: 'title: NetworkPolicy dataprocessing-operator' }],
    'service.createNamespace': [false, { gone: 'title: Namespace dataprocessing-demo' }],
    'service.connection.create': [false, { gone: 'title: Connection default' }],
    'service.persistence.enabled': [false, { gone: 'title: PersistentVolumeClaim dataprocessing-service' }],
  },
  {
    'image.digest': [`sha256:${'0'.repeat(64)}`, `@sha256:${'0'.repeat(64)}`],
    'crds.install': [false, { gone: 'title: CustomResourceDefinition clusters.dataprocessing.dev' }],
    'service.provisioner': ['simulated', { gone: 'title: Role dataprocessing-service' }],
    'service.token.existingSecret': ['our-token', 'secretName: our-token'],
    'service.persistence.existingClaim': ['our-claim', 'claimName: our-claim'],
  },
];

/** What the samples of a round need beside them. */
const companions: readonly Readonly<Record<string, unknown>>[] = [{}, { replicas: 1 }, {}];

const valuesIn = (samples: Readonly<Record<string, Sample>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(samples).map(([path, [value]]) => [path, value]));

test('there is one sample of each value', () => {
  const paths = [switches, ...rounds].flatMap((samples) => Object.keys(samples));
  expect(paths.toSorted()).toEqual(values.map(({ path }) => path).toSorted());
});

/** The manifests as text, with a line for each title and for each object that stays after an uninstallation. */
function textOf(manifests: readonly Manifest[]): string {
  const lines = manifests.flatMap((manifest) => {
    const { annotations = {} } = manifest.metadata as { readonly annotations?: Readonly<Record<string, string>> };
    const kept = annotations['helm.sh/resource-policy'] === 'keep' ? [`kept: ${titleOf(manifest)}`] : [];
    return [
      `title: ${titleOf(manifest)}`,
      ...kept,
      stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function expectEffects(samples: Readonly<Record<string, Sample>>, before: string, after: string): void {
  for (const [path, [, effect]] of Object.entries(samples)) {
    const isThere = (text: string): boolean => text.includes(typeof effect === 'string' ? effect : `${effect.gone}\n`);
    expect([path, isThere(before), isThere(after)]).toEqual([
      path,
      typeof effect !== 'string',
      typeof effect === 'string',
    ]);
  }
}

describe.skipIf(helm === undefined)('a value', () => {
  // Otherwise both would be random.
  const common = { 'service.token.value': 'change-me' };
  const isOn = valuesIn(switches);

  test('that is off by default has an effect', async () => {
    const [before, after] = await Promise.all([render(common), render({ ...common, ...isOn })]);
    expectEffects(switches, textOf(before), textOf(after));
  });

  test.each(rounds.map((samples, index) => [index + 1, samples] as const))(
    'of round %i has an effect',
    async (round, samples) => {
      const changed = { ...common, ...isOn, ...valuesIn(samples), ...companions[round - 1] };
      const [before, after] = await Promise.all([render({ ...common, ...isOn }), render(changed)]);
      expectEffects(samples, textOf(before), textOf(after));
    },
  );
});

describe.skipIf(helm === undefined)('what the programs read', () => {
  /** Of the flags that a pod has no use for. */
  const outside = ['kubeconfig', 'context', 'lease-namespace', 'help'];

  test('each flag of the operator has a value, which it reads as it is meant', async () => {
    const rendered = await render({
      watchNamespaces: ['team-a', 'team-b'],
      installation: 'team-a-production',
      quarantine: '16m',
      'metrics.port': 9090,
      'web.enabled': true,
      'leaderElection.leaseDuration': '25s',
      'leaderElection.renewDeadline': '20s',
      'leaderElection.retryPeriod': '4s',
      shutdownTimeout: '25s',
      logLevel: 'debug',
      'proxy.httpsProxy': 'http://proxy:3128',
      'proxy.httpProxy': 'http://proxy:3129',
      'proxy.noProxy': '.svc,10.0.0.0/8',
    });
    const { env } = podOf(rendered).pod.containers[0];
    const { environment, proxies, ...config } = readConfig(
      [],
      Object.fromEntries(env.map(({ name, value }) => [name, value])),
    );
    expect(Object.keys(environment)).toContain('POD_NAME');
    expect(proxies).toEqual({ http: 'http://proxy:3129/', https: 'http://proxy:3128/', none: ['.svc', '10.0.0.0/8'] });
    const wanted = {
      namespaces: ['team-a', 'team-b'],
      installation: 'team-a-production',
      quarantine: 16 * 60_000,
      'health-address': { port: 9090 },
      'web-address': { host: '127.0.0.1', port: 8082 },
      'leader-elect': true,
      'lease-duration': 25_000,
      'lease-renew-deadline': 20_000,
      'lease-retry-period': 4000,
      'shutdown-timeout': 25_000,
      'log-level': 'debug',
    };
    expect(config).toEqual({ ...wanted, help: false });
    expect([...Object.keys(wanted), ...outside].toSorted()).toEqual(Object.keys(flags).toSorted());
  });
});

test('values.yaml parses, and each section is closed', () => {
  expect(Object.keys(parse(text) as object).length).toBeGreaterThan(20);
});
