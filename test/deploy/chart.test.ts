// The chart renders to what kustomize renders, and every value of it changes what it says.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Manifest, readManifests, titleOf } from '../../dev/demo/manifests.ts';
import { place } from '../e2e/support/documents.ts';
import { flagsOf, repository, writeOverlay } from '../e2e/support/installation.ts';
import { chart, helm, render, runHelm } from '../support/kubernetes/helm.ts';
import { renderedByKubectl } from './kubectl.ts';

type Skip = (note: string) => never;
type Labels = Readonly<Record<string, string>>;
interface Labelled {
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

const isOfHelm = (name: string): boolean => /^(meta\.)?helm\.sh\//.test(name);

/** By title, without labels and without what is Helm's own. A token is compared as it is read. */
function bodies(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const bare = manifests.map((manifest) => {
    const { labels: _, annotations = {}, ...metadata } = manifest.metadata as Manifest['metadata'] & Labelled;
    const kept = Object.entries(annotations).filter(([name]) => !isOfHelm(name));
    const { data, stringData, ...rest } = manifest;
    const content = manifest.kind === 'Secret' ? decoded({ data, stringData }) : data;
    return [
      `${titleOf(manifest)} in ${metadata.namespace}`,
      {
        ...rest,
        ...(content !== undefined && { data: content }),
        metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
      },
    ] as const;
  });
  expect(new Set(bare.map(([title]) => title)).size).toBe(bare.length);
  return Object.fromEntries(bare);
}

function decoded({ data, stringData }: { readonly data: unknown; readonly stringData: unknown }): Labels {
  const encoded = Object.entries((data ?? {}) as Labels);
  const plain = encoded.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
  return { ...Object.fromEntries(plain), ...((stringData ?? {}) as Labels) };
}

const labelsOf = (manifests: readonly Manifest[]): Readonly<Record<string, Labels>> =>
  Object.fromEntries(manifests.map((each) => [titleOf(each), (each.metadata as Labelled).labels ?? {}]));

/** `ours` has more labels, and nothing else. */
function expectSame(ours: readonly Manifest[], theirs: readonly Manifest[]): void {
  expect(bodies(ours)).toEqual(bodies(theirs));
  expect(labelsOf(ours)).toMatchObject(labelsOf(theirs));
}

const without = (manifests: readonly Manifest[], ...titles: readonly string[]): readonly Manifest[] => {
  expect(manifests.map(titleOf)).toEqual(expect.arrayContaining([...titles]));
  return manifests.filter((manifest) => !titles.includes(titleOf(manifest)));
};

const kustomized = async (folder: string, skip: Skip): Promise<readonly Manifest[]> =>
  renderedByKubectl(join(repository, 'deploy', folder), skip);

/** The namespace of a release is not part of it. */
const ownNamespace = 'Namespace dataprocessing-system';

describe.skipIf(helm === undefined)('the chart', () => {
  test('passes the strict lint of Helm, with all that can be switched on', async () => {
    for (const more of [[], ['service.enabled=true', ...monitors]]) {
      const values = ['watchAllNamespaces=true', ...more].flatMap((value) => ['--set', value]);
      const { code, output, errors } = await runHelm('lint', '--strict', chart, ...values);
      expect([code, errors, output]).toEqual([0, '', expect.stringContaining('1 chart(s) linted, 0 chart(s) failed')]);
    }
  });

  test('renders what deploy/ installs', async ({ skip }) => {
    expectSame(await render(), without(await kustomized('.', skip), ownNamespace));
  });

  test('renders with the bundled service what deploy/quickstart installs, and the Connection of the examples', async ({
    skip,
  }) => {
    const rendered = await render({ 'service.enabled': true, 'service.token.value': 'change-me' });
    const quickstart = without(await kustomized('quickstart', skip), ownNamespace);
    const [connection] = await readManifests(join(repository, 'examples', 'connection.yaml'));
    if (connection === undefined) throw new Error('examples/connection.yaml is empty');
    const metadata = { ...connection.metadata, namespace: 'dataprocessing-demo' };
    expectSame(rendered, [...quickstart, { ...connection, metadata }]);
  });

  test('renders with simulated clusters what there is without deploy/provisioner', async ({ skip }) => {
    const rendered = await render({
      'service.enabled': true,
      'service.token.value': 'change-me',
      'service.connection.create': false,
      'service.provisioner': 'simulated',
    });
    const checkout = '../dataprocessing-operator/deploy';
    const folder = await place({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [`${checkout}/all-namespaces`, `${checkout}/bundled-service`],
    } as unknown as Manifest);
    expectSame(rendered, without(await renderedByKubectl(folder, skip), ownNamespace));
  });

  test('renders for one namespace what deploy/namespaced installs there', async ({ skip }) => {
    const base = await mkdtemp(join(tmpdir(), 'chart-'));
    onTestFinished(async () => rm(base, { recursive: true }));
    await writeOverlay(join(base, 'team-a'), 'team-a');
    const overlay = await renderedByKubectl(join(base, 'team-a'), skip);
    const rendered = await render(namespaced('team-a'), '--namespace', 'team-a');
    const deployment = 'Deployment dataprocessing-operator';
    expectSame(without(rendered, deployment), without(overlay, deployment));
    expect(flagsOf(rendered).toSorted()).toEqual(flagsOf(overlay).toSorted());
  });

  test('renders what deploy/monitoring installs', async ({ skip }) => {
    const all = await render(Object.fromEntries(monitors.map((value) => [value.split('=')[0], true])));
    const usual = (await render()).map(titleOf);
    const more = all.filter((each) => !usual.includes(titleOf(each)));
    expectSame(without(more, 'ServiceMonitor dataprocessing-operator'), await kustomized('monitoring', skip));
  });
});

const monitors = ['podMonitor', 'serviceMonitor', 'prometheusRule', 'dashboard'].map(
  (each) => `metrics.${each}.enabled=true`,
);

const namespaced = (namespace: string): Readonly<Record<string, unknown>> => ({
  watchNamespaces: [namespace],
  installation: `tests-of-${namespace}`,
  'crds.install': false,
  'rbac.userRoles': false,
  'secretsPolicy.create': false,
});

test('the chart has the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const text = await readFile(join(chart, 'Chart.yaml'), 'utf8');
  expect(text).toContain(`\nversion: ${version}\n`);
  expect(text).toContain(`\nappVersion: "${version}"\n`);
});
