// What the values of the chart mean to the bundled service: its flags, its files and its token.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Manifest, titleOf } from '../../../dev/demo/manifests.ts';
import { readFlavors } from '../../../src/service/backends/flavors-file.ts';
import { readImages } from '../../../src/service/backends/pods/manifests/engine-images.ts';
import { engineImages, engineSources } from '../../../src/service/engines/index.ts';
import { help, parseFlags } from '../../../src/service/program/flags/flags.ts';
import { podOf } from '../../e2e/support/installation.ts';
import { full } from '../../service/backends/pods/flavors/full-pod.ts';
import { helm, render } from '../../support/kubernetes/helm.ts';

const deploymentOf = (manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.filter((each) => titleOf(each) === 'Deployment dataprocessing-service');

const argumentsOf = (manifests: readonly Manifest[]): readonly string[] =>
  podOf(deploymentOf(manifests)).pod.containers[0]['args'] as readonly string[];

/** Writes the files of the ConfigMap, and returns the arguments with their places. */
async function placeFiles(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'values-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const files = manifests.find((each) => titleOf(each) === 'ConfigMap dataprocessing-service');
  const data = (files?.['data'] ?? {}) as Readonly<Record<string, string>>;
  for (const [name, content] of Object.entries(data)) await writeFile(join(folder, name), content);
  return argumentsOf(manifests).map((each) => each.replace('/etc/dataprocessing-service-files', folder));
}

/** What `extraArgs` is for: fixtures, limits, other ways to authenticate, and what only a process or a simulation has. */
const withoutValue = [
  'port dialect load auth token auth-url auth-cache-ms allowed-host',
  'request-timeout-ms max-connections machines java job-files stop-clusters machine-memory maven-repository python-index history-credentials',
  'allow-affinity-violations i-trust-all-users runner-image runner-port namespace kubeconfig log-bytes flavors images',
  'plugins quota quota-rows quota-row-bytes quota-bytes quota-run-bytes stage-ms latency-ms seed help',
  ...engineSources.map(({ name }) => name),
].flatMap((line) => line.split(' '));

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^ {2}--([a-z0-9-]+)/gm)].map(([, name = '']) => name);

describe.skipIf(helm === undefined)('the bundled service', () => {
  test('gets what each value says', async () => {
    const rendered = await render({
      'service.enabled': true,
      'service.tenantNamespaces': { demo: 'clusters-a', '42': 'clusters-b' },
      'service.engineImages': { spark: { reference: 'registry.example/spark:1', user: 1_234_567 } },
      'service.flavors': {
        tall: { cores: 3, memoryMiB: 16_777_216, pod: full },
        low: { cores: 1, memoryMiB: 512, queue: 'a' },
      },
      'service.defaultJobFlavor': 'low',
      'service.jobQueues': ['a', 'night'],
      'service.storageClass': 'fast',
      'service.stateSize': 3,
      'service.egress': ['10.0.0.0/8', 'fd00::/8:8000-8999'],
      'service.historyUrl': 'https://history.example',
      'service.engineMetrics': true,
      'service.metricsFrom': ['watch/app=prometheus', '10.9.0.0/16'],
      'service.allowFetchFrom': ['10.2.0.0/16'],
      'service.denyFetchFrom': ['10.3.0.0/16'],
      'service.dns': ['dns/app=coredns', '169.254.20.10/32'],
      'service.allowExposure': ['Ingress'],
      'service.ingressDomain': 'data.example.com',
      'service.ingressClass': 'nginx',
      'service.clusterDomain': 'kube.example',
      'service.imagePullSecrets': [{ name: 'registry' }],
      'service.webPage': true,
      'service.maxConcurrent': 3,
      'service.logLevel': 'warn',
    });
    const args = await placeFiles(rendered);
    const flags = parseFlags(args);
    expect(flags).toMatchObject({
      provisioner: 'kubernetes',
      'web-page': true,
      'max-concurrent': 3,
      'log-level': 'warn',
      'storage-class': 'fast',
      'state-size': 3,
      egress: [
        { network: '10.0.0.0/8', ports: undefined },
        { network: 'fd00::/8', ports: [8000, 8999] },
      ],
      'history-url': 'https://history.example',
      'engine-metrics': true,
      'metrics-from': [{ namespace: 'watch', labels: { app: 'prometheus' } }, '10.9.0.0/16'],
      'allow-fetch-from': ['10.2.0.0/16'],
      'deny-fetch-from': ['10.3.0.0/16'],
      dns: [{ namespace: 'dns', labels: { app: 'coredns' } }, '169.254.20.10/32'],
      'allow-exposure': ['Ingress'],
      'ingress-domain': 'data.example.com',
      'ingress-class': 'nginx',
      'cluster-domain': 'kube.example',
      'image-pull-secret': ['registry'],
    });
    const { spark, hadoop } = readImages(flags['engine-images']);
    expect(spark).toMatchObject([{ reference: 'registry.example/spark:1', user: 1_234_567, home: '/opt/spark' }]);
    expect(hadoop).toEqual(readImages(undefined)['hadoop']);
    expect(readFlavors(flags['flavors-file'])).toMatchObject({
      flavors: expect.arrayContaining([
        expect.objectContaining({ id: 'tall', cpus: 3, memory: 16_777_216, pod: full }),
        expect.objectContaining({ id: 'low', queue: 'a' }),
      ]),
      defaultJobFlavor: 'low',
      jobQueues: ['a', 'night'],
    });

    const given = args.map((each) => each.replace(/^--|=.*/g, ''));
    const known = [...new Set([...given, ...withoutValue])];
    expect(known.toSorted()).toEqual(namesIn(help).toSorted());
  });

  test('gets the list of flavors that values of earlier charts have', async () => {
    const flavors = [{ id: '7', name: 'tall', cpus: 3, memory: 1024 }];
    const args = await placeFiles(await render({ 'service.enabled': true, 'service.flavors': flavors }));
    expect(readFlavors(parseFlags(args)['flavors-file']).flavors).toEqual([{ ...flavors[0], disk: 20 }]);
  });

  test.each([
    [{ 'service.flavors': { a: { cores: 1 } } }],
    [{ 'service.flavors': { a: { cores: 1, memoryMiB: 512, pod: { hostNetwork: true } } } }],
    [{ 'service.defaultJobFlavor': 'a' }],
    [{ 'service.jobQueues': ['a'] }],
    [{ 'service.flavors': { a: { cores: 1, memoryMiB: 512, queue: 'A' } } }],
  ])('is not rendered with %j', async (values) => {
    await expect(render({ 'service.enabled': true, ...values })).rejects.toThrow(
      /service.*(flavors|defaultJobFlavor|jobQueues)/s,
    );
  });

  test('uses the image of each engine that a value names', async () => {
    const references = engineImages.map(({ name }) => [name, { reference: `registry.example/${name}:1` }] as const);
    const values = { 'service.enabled': true, 'service.engineImages': Object.fromEntries(references) };
    const flags = parseFlags(await placeFiles(await render(values)));
    const expected = references.map(([name, image]) => [name, [image]]);
    expect(readImages(flags['engine-images'])).toMatchObject(Object.fromEntries(expected));
  });

  test('uses an image for each version', async () => {
    const spark = ['3.5.9', '4.1.2'].map((version) => ({
      reference: `registry.example/spark:${version}`,
      user: 1_234_567,
      version,
    }));
    const flags = parseFlags(
      await placeFiles(await render({ 'service.enabled': true, 'service.engineImages': { spark } })),
    );
    expect(readImages(flags['engine-images'])['spark']).toMatchObject(spark);
  });

  test('has its permissions in its own namespace and in those of the tenants', async () => {
    const rendered = await render({
      'service.enabled': true,
      'service.tenantNamespaces': { a: 'clusters-a', b: 'clusters-a' },
      'service.clusterNamespaces': ['clusters-b'],
    });
    for (const kind of ['Role', 'RoleBinding'])
      expect(
        rendered
          .filter((each) => titleOf(each) === `${kind} dataprocessing-service`)
          .map(({ metadata }) => metadata.namespace),
      ).toEqual(['dataprocessing-demo', 'clusters-a', 'clusters-b']);
  });

  test('starts anew when the content of its files changes, and only then', async () => {
    const podWith = async (namespace: string, level: string) => {
      const values = { 'service.tenantNamespaces': { a: namespace }, logLevel: level };
      const [deployment] = deploymentOf(await render({ 'service.enabled': true, ...values }));
      return (deployment?.['spec'] as { readonly template: unknown } | undefined)?.template;
    };
    const pod = await podWith('clusters-a', 'info');
    expect(await podWith('clusters-b', 'info')).not.toEqual(pod);
    expect(await podWith('clusters-a', 'debug')).toEqual(pod);
  });

  test('sees no secret in its flags', async () => {
    const rendered = await render({ 'service.enabled': true, 'service.token.value': 'very-secret' });
    expect(parseFlags(argumentsOf(rendered))).toMatchObject({
      port: 8386,
      host: '0.0.0.0',
      data: '/var/lib/dataprocessing-service/service.db',
      'token-file': '/etc/dataprocessing-service/token',
    });
    expect(JSON.stringify(deploymentOf(rendered))).not.toContain('very-secret');
  });

  test('pods of clusters and jobs pull with the Secrets of both values', async () => {
    const both = {
      imagePullSecrets: [{ name: 'own' }],
      'service.imagePullSecrets': [{ name: 'engines' }, { name: 'own' }],
    };
    const flagsWith = async (changed: Readonly<Record<string, unknown>>) => {
      return parseFlags(argumentsOf(await render({ 'service.enabled': true, ...both, ...changed })));
    };
    expect((await flagsWith({}))['image-pull-secret']).toEqual(['own', 'engines']);
    expect((await flagsWith({ 'service.provisioner': 'simulated' }))['image-pull-secret']).toEqual([]);
  });

  test('without a token, each installation gets one of its own', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => {
        const secret = (await render({ 'service.enabled': true })).find(({ kind }) => kind === 'Secret');
        const { token = '' } = (secret?.['data'] ?? {}) as { readonly token?: string };
        return atob(token);
      }),
    );
    expect(tokens).toEqual(tokens.map(() => expect.stringMatching(/^[a-zA-Z0-9]{32}$/)));
    expect(new Set(tokens).size).toBe(2);
  });
});
