// Every example applies, in any order, means what it says to the operator, and fits what the bundled service offers.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { objectPath } from '../../../../src/kube/resource.ts';
import { secretType } from '../../../../src/operator/api/shared-api.ts';
import { cluster } from '../../../../src/operator/kinds/cluster/schema.ts';
import { clusterTemplate } from '../../../../src/operator/kinds/cluster-template/schema.ts';
import { imageRegistration } from '../../../../src/operator/kinds/image-registration/schema.ts';
import { job } from '../../../../src/operator/kinds/job/schema.ts';
import { jobExecution } from '../../../../src/operator/kinds/job-execution/schema.ts';
import { jobSchedule } from '../../../../src/operator/kinds/job-schedule/schema.ts';
import { nodeGroupTemplate } from '../../../../src/operator/kinds/node-group-template/schema.ts';
import { bundledPlugins } from '../../../../src/service/engines/index.ts';
import { sparkSource } from '../../../../src/service/engines/spark/source.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import { type PluginEntry, requiredTags } from '../../../../src/service/model/catalog/plugins.ts';
import { bundledImages } from '../../../../src/service/resources/images/images.ts';
import { definitions, openSchemaApi, type SchemaApi } from './api.ts';

const kubeconfig = inject('kubeconfig');
const folder = join(import.meta.dirname, '..', '..', '..', '..', 'examples');

interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
  readonly type?: string;
}

// What is below `service` is for the bundled service, and no manifest.
const files = (await readdir(folder, { recursive: true })).filter(
  (name) => name.endsWith('.yaml') && !name.startsWith('service'),
);
const examples = (
  await Promise.all(
    files.map(async (name) =>
      parseAllDocuments(await readFile(join(folder, name), 'utf8')).map((each) => each.toJS() as Example),
    ),
  )
).flat();
const named = (kind: string) => examples.filter((each) => each.kind === kind);
const title = ({ kind, metadata }: Example) => `${kind} ${metadata.name}`;

const clusters = named('Cluster').map((each) => ({ title: title(each), spec: cluster.spec.parse(each.spec) }));
const templates = new Map(
  named('ClusterTemplate').map((each) => [each.metadata.name, clusterTemplate.spec.parse(each.spec)]),
);
const images = new Map(
  named('ImageRegistration').map((each) => [each.metadata.name, imageRegistration.spec.parse(each.spec)]),
);
const nodeTemplates = new Map(
  named('NodeGroupTemplate').map((each) => [each.metadata.name, nodeGroupTemplate.spec.parse(each.spec)]),
);

test('there is one of each kind', () => {
  for (const { kind } of definitions) expect(named(kind).length, kind).toBeGreaterThan(0);
});

test.each(examples.map((each) => [title(each), each] as const))('%s is for any namespace and parses', (_, example) => {
  expect(example.metadata.namespace).toBeUndefined();
  const definition = definitions.find(({ kind }) => kind === example.kind);
  if (definition === undefined) expect(example).toMatchObject({ kind: 'Secret', type: secretType });
  else expect(definition.spec.safeParse(example.spec).error?.issues ?? []).toEqual([]);
});

test('every reference leads to another example', () => {
  const groups = [...templates.values(), ...clusters.map(({ spec }) => spec)].flatMap(
    ({ nodeGroups }) => nodeGroups ?? [],
  );
  const wanted = groups.flatMap(({ nodeGroupTemplateRef: ref }) => (ref === undefined ? [] : [ref.name]));
  expect(wanted.filter((name) => !nodeTemplates.has(name))).toEqual([]);
  const used = clusters.flatMap(({ spec }) =>
    spec.clusterTemplateRef === undefined ? [] : [spec.clusterTemplateRef.name],
  );
  expect(used.filter((name) => !templates.has(name))).toEqual([]);
  const started = clusters.flatMap(({ spec }) => spec.imageRef?.name ?? []);
  expect(started.length).toBeGreaterThan(0);
  expect(started.filter((name) => !images.has(name))).toEqual([]);
  const binaries = new Set(named('JobBinary').map(({ metadata }) => metadata.name));
  const scheduled = named('JobSchedule').map((each) => jobSchedule.spec.parse(each.spec).template.spec);
  expect(scheduled.length).toBeGreaterThan(0);
  const runs = [...named('JobExecution').map((each) => jobExecution.spec.parse(each.spec)), ...scheduled];
  expect(runs.length).toBeGreaterThan(0);
  const mains = [...named('Job').map((each) => job.spec.parse(each.spec)), ...runs.flatMap((one) => one.job ?? [])];
  const programs = mains.flatMap((one) => one.mains ?? []);
  expect(programs.length).toBeGreaterThan(mains.length - 1);
  expect(programs.filter(({ jobBinaryRef: ref }) => !binaries.has(ref?.name ?? ''))).toEqual([]);
  const jobs = new Set(named('Job').map(({ metadata }) => metadata.name));
  expect(runs.flatMap(({ jobRef }) => jobRef?.name ?? []).filter((name) => !jobs.has(name))).toEqual([]);
  const places = new Set(named('Cluster').map(({ metadata }) => metadata.name));
  expect(runs.flatMap(({ clusterRef }) => clusterRef?.name ?? []).filter((name) => !places.has(name))).toEqual([]);
  const made = runs.flatMap((one) => one.cluster?.clusterTemplateRef?.name ?? []);
  expect(made.length).toBeGreaterThan(0);
  expect(made.filter((name) => !templates.has(name))).toEqual([]);
  const connections = new Set(named('Connection').map(({ metadata }) => metadata.name));
  expect([...connections].toSorted()).toEqual(['default', 'openstack']);
});

test('the Connections named default are the same, and lead to the bundled service in a cluster', () => {
  const [first, ...others] = named('Connection').filter(({ metadata }) => metadata.name === 'default');
  expect(others.length).toBeGreaterThan(0);
  expect(others).toEqual(others.map(() => first));
  expect(first?.spec).toMatchObject({ endpoint: 'http://dataprocessing-service.dataprocessing-demo.svc:8386' });
});

test.each(clusters.map((each) => [each.title, each.spec] as const))(
  '%s has all that the Neutral dialect needs',
  (_, spec) => {
    const template = templates.get(spec.clusterTemplateRef?.name ?? '');
    expect(spec.userKeypairID).toBeDefined();
    expect(spec.defaultImageID ?? spec.imageRef ?? template?.defaultImageID).toBeDefined();
    expect([spec.description, spec.networkManagementNetwork]).toEqual([undefined, undefined]);
    const own = (spec.nodeGroups ?? []).filter(({ nodeGroupTemplateRef }) => nodeGroupTemplateRef === undefined);
    expect(own.every(({ floatingIPPool }) => floatingIPPool === undefined)).toBe(true);
    const inherited = new Set(template?.nodeGroups.map(({ name }) => name));
    expect(own.filter(({ name, flavorID }) => flavorID === undefined && !inherited.has(name))).toEqual([]);
  },
);

test('the bundled service has the images, not yet registered', () => {
  for (const { imageID } of images.values())
    expect(bundledImages.find(({ id }) => id === imageID)).toMatchObject({ registered: false });
});

test.each(clusters.filter(({ spec }) => spec.imageRef).map((each) => [each.title, each.spec] as const))(
  'the image of %s gets the tags that its plugin asks for',
  (_, spec) => {
    const source = templates.get(spec.clusterTemplateRef?.name ?? '') ?? spec;
    const { pluginName = '', bigdataVersion = '' } = source;
    expect(images.get(spec.imageRef?.name ?? '')?.tags).toEqual(
      expect.arrayContaining([...requiredTags(pluginName, { version: bigdataVersion })]),
    );
  },
);

/** Simulated, and real. */
const real = createSpark({ folder: '/spark', java: 'java' }).processes.map(({ name }) => name);
const offered: readonly PluginEntry[] = [
  ...bundledPlugins,
  {
    name: 'spark',
    title: sparkSource.title,
    description: '',
    versions: [{ version: sparkSource.version, processes: { Spark: real }, configs: [] }],
  },
];

test('the bundled service has the plugins, versions, processes and configurations', () => {
  const parts = [...nodeTemplates.values(), ...templates.values(), ...clusters.map(({ spec }) => spec)];
  for (const part of parts) {
    if (part.pluginName === undefined) continue;
    const versions = offered.filter(({ name }) => name === part.pluginName).flatMap((plugin) => plugin.versions);
    const version = versions.find((each) => each.version === part.bigdataVersion);
    expect(version, `${part.pluginName} ${part.bigdataVersion}`).toBeDefined();
    const known = Object.values(version?.processes ?? {}).flat();
    const groups = 'nodeProcesses' in part ? [part] : (part.nodeGroups ?? []);
    expect(known).toEqual(expect.arrayContaining(groups.flatMap(({ nodeProcesses = [] }) => nodeProcesses)));
    const configs = 'nodeConfigs' in part ? part.nodeConfigs : 'clusterConfigs' in part ? part.clusterConfigs : {};
    const places = version?.configs.map(({ applicable_target, name }) => `${applicable_target}/${name}`);
    const set = Object.entries(configs ?? {}).flatMap(([target, values]) =>
      Object.keys(values).map((name) => `${target}/${name}`),
    );
    expect(places).toEqual(expect.arrayContaining(set));
  }
});

describe.skipIf(kubeconfig === '')('on the API server', () => {
  let api: SchemaApi;
  beforeAll(async () => {
    api = await openSchemaApi(kubeconfig, 'schema-examples');
  });
  afterAll(async () => api?.close());

  const apply = async (example: Example) => {
    const { plural = 'secrets', scope } = definitions.find(({ kind }) => kind === example.kind) ?? {};
    const { apiVersion: version, kind, metadata } = example;
    const of = { kind, apiVersion: version, plural, clusterScoped: scope === 'Cluster' };
    return api.server.apply(objectPath(of, { namespace: api.namespace, name: metadata.name }), example);
  };

  const distinct = new Map(examples.map((each) => [title(each), each]));

  test.each([...distinct])('%s applies, and again', async (_, example) => {
    const first = await apply(example);
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    const second = await apply(example);
    expect(second.status, JSON.stringify(second.body)).toBe(200);
    expect((second.body as Example).spec).toEqual(example.spec);
  });
});
