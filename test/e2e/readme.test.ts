// What the documentation shows is what the product accepts: its kustomizations render, its manifests apply, its tutorial works.
import { execFile } from 'node:child_process';
import { access, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { type Manifest, readManifests, titleOf } from '../../dev/demo/manifests.ts';
import { listEverything } from '../../dev/demo/remote.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { definitions } from '../../src/operator/kinds/index.ts';
import { parseFlags } from '../../src/service/program/flags/flags.ts';
import { renderedByKubectl } from '../deploy/kubectl.ts';
import { haveKubectl } from '../gitops/readers/kubectl-wait.ts';
import { useBench } from './support/bench.ts';
import { blocksIn, commandsIn, isKustomization, pages, place, readPage, yamlIn } from './support/documents.ts';
import { podOf, repository } from './support/installation.ts';
import { expectSample, samplesIn } from './support/samples.ts';

const kubeconfig = inject('kubeconfig');
const blocks = pages.flatMap((page) => yamlIn(readPage(page)).map((block) => ({ page, block })));
/** What is no manifest: parts of one, values of the chart of Headlamp, and files for the bundled service, which its own tests read. */
const isPart = (block: Manifest): boolean =>
  [
    'healthChecks',
    'tenants',
    'plugins',
    'region',
    'spark',
    'hadoop',
    'flavors',
    'scrape_configs',
    'configs',
    'clusterConfigs',
    'volumeMounts',
  ].some((key) => key in block) ||
  // Of an Application of Argo CD, and of a Kustomization of Flux.
  ['ignoreDifferences', 'ignore', 'healthCheckExprs'].some(
    (key) => key in ((block as { readonly spec?: object }).spec ?? {}),
  );
/** The API server of the tests does not know their kinds. */
const isOfOthers = ({ apiVersion }: Manifest): boolean =>
  ['kustomize.toolkit.fluxcd.io/', 'kueue.x-k8s.io/', 'keda.sh/'].some((group) => apiVersion.startsWith(group));
const allKustomizations = blocks.filter(({ block }) => isKustomization(block));
/** Those that install this product from a checkout. */
const kustomizations = allKustomizations.filter(({ block }) =>
  JSON.stringify(block).includes('../dataprocessing-operator'),
);
const manifests = blocks.filter(({ block }) => !isPart(block) && !isKustomization(block) && !isOfOthers(block));
/** What the manifests of this version name, unless a kustomization chooses another image. */
const usual = { newName: 'localhost/dataprocessing-operator', newTag: packageJson.version };

function imageOf(kustomization: Manifest): string {
  const { images: [chosen] = [] } = kustomization as { readonly images?: readonly Partial<typeof usual>[] };
  const { newName, newTag } = { ...usual, ...chosen };
  return `${newName}:${newTag}`;
}

const imagesOf = (rendered: readonly Manifest[]): readonly unknown[] =>
  rendered.filter(({ kind }) => kind === 'Deployment').map((each) => podOf([each]).pod.containers[0]['image']);

describe('kustomizations', () => {
  test.for(kustomizations.map(({ page, block }, index) => [`${index} of ${page}`, block] as const))(
    '%s renders',
    async ([, block], { skip }) => {
      const rendered = await renderedByKubectl(await place(block), skip);
      expect([...new Set(imagesOf(rendered))]).toEqual([imageOf(block)]);
      const { namespace } = block as { readonly namespace?: string };
      if (namespace !== undefined)
        expect(new Set(rendered.map(({ metadata }) => metadata.namespace))).toEqual(new Set([namespace]));
    },
  );

  test('with generators, the names that kustomize makes reach the references', async ({ skip }) => {
    const [own, ...others] = allKustomizations.filter((one) => !kustomizations.includes(one));
    expect([own?.page, others]).toEqual(['docs/how-to/gitops.md', []]);
    const folder = await place(own?.block as Manifest);
    const program = { content: { configMapKeyRef: { name: 'program', key: 'main.py' } } };
    const binary = {
      apiVersion: 'dataprocessing.dev/v1alpha1',
      kind: 'JobBinary',
      metadata: { name: 'main' },
      spec: program,
    };
    await writeFile(join(folder, 'job.yaml'), JSON.stringify(binary));
    await writeFile(join(folder, 'main.py'), 'print("begin")\n');
    await writeFile(join(folder, 'storage.env'), 'accesskey=a\nsecretkey=b\n');
    await copyFile(join(repository, 'kustomize/name-references.yaml'), join(folder, 'name-references.yaml'));
    const rendered = await renderedByKubectl(folder, skip);
    const map = rendered.find(({ kind }) => kind === 'ConfigMap');
    expect(map?.metadata.name).toMatch(/^program-\w+$/);
    const made = rendered.find(({ kind }) => kind === 'JobBinary');
    expect(made?.['spec']).toEqual({ content: { configMapKeyRef: { name: map?.metadata.name, key: 'main.py' } } });
  });

  test('there are some in the README and in the guides', () => {
    expect(new Set(kustomizations.map(({ page }) => page)).size).toBeGreaterThan(4);
  });
});

test('every kind is shown somewhere', () => {
  const kinds = [...definitions.map(({ kind }) => kind), 'Secret'];
  expect([...new Set(manifests.map(({ block }) => block.kind))]).toEqual(expect.arrayContaining(kinds));
});

describe('the bundled service in a cluster', () => {
  test('has flags that exist, and the address and token that the Connection of the examples names', async ({
    skip,
  }) => {
    const rendered = await renderedByKubectl(join(repository, 'deploy', 'bundled-service'), skip);
    const { pod, namespace } = podOf(rendered);
    const [container] = pod.containers;
    const flags = parseFlags(container['args'] as readonly string[]);
    const service = rendered.find(({ kind }) => kind === 'Service');
    const [connection] = await readManifests(join(repository, 'examples', 'connection.yaml'));
    expect(connection?.['spec']).toMatchObject({
      endpoint: `http://${service?.metadata.name}.${namespace}.svc:${flags.port}`,
      auth: { secretRef: { name: rendered.find(({ kind }) => kind === 'Secret')?.metadata.name } },
    });
    expect(service?.['spec']).toMatchObject({ ports: [{ port: flags.port, targetPort: 'http' }] });
    expect(container).toMatchObject({ ports: [{ name: 'http', containerPort: flags.port }] });
    expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true });
  });
});

describe.skipIf(kubeconfig === '')('on the API server', () => {
  const bench = useBench(kubeconfig, 'readme');

  test.for(manifests.map(({ page, block }, index) => [index, page, titleOf(block), block] as const))(
    '%i of %s: %s applies',
    async ([, , , manifest]) => {
      const { objects } = bench();
      expect((await objects.apply(manifest)).metadata.name).toBe(manifest.metadata.name);
      await objects.remove(manifest);
    },
  );
});

describe.skipIf(kubeconfig === '' || !haveKubectl)('the tutorial', () => {
  const bench = useBench(kubeconfig, 'tutorial');

  test('works as written, with the programs of the demo', async () => {
    const { objects, folder, namespace } = bench();
    const { url } = await bench().startService();
    await bench().startOperator();
    for (const manifest of await bench().examples(url)) await objects.apply(manifest);
    const page = readPage('docs/getting-started/README.md');
    const reports = join(folder, 'reports.yaml');
    await writeFile(reports, blocksIn(page, 'yaml').join('---\n'));
    const commands = commandsIn(page).filter((line) => !/^npm| -w$/.test(line));
    expect(commands.length).toBeGreaterThan(12);
    const run = async (command: string): Promise<string> => {
      const here = command
        .replaceAll('kubectl ', `kubectl --kubeconfig '${kubeconfig}' -n ${namespace} `)
        .replaceAll('reports.yaml', reports)
        .replace('http://127.0.0.1:8386', url)
        .replace('/demo/', `/${namespace}/`);
      return (await promisify(execFile)('sh', ['-c', here], { cwd: repository })).stdout;
    };
    const outputs = new Map<string, string>();
    for (const command of commands) outputs.set(command, await run(command));
    expect(outputs.get('kubectl get dpc reports')).toMatch(/^reports +True +Available +Active +5\/5 /m);
    expect(outputs.get('kubectl get dpc -o wide')).toMatch(/^reports +True .* True /m);
    const samples = samplesIn(page).filter(({ commands: before }) => !before.startsWith('npm '));
    expect(samples.length).toBeGreaterThan(0);
    for (const { commands: before, output } of samples)
      expectSample(
        output,
        before
          .split('\n')
          .map((command) => outputs.get(command) ?? '')
          .join(''),
      );
    // The clean-up leaves nothing: neither objects, nor Secrets, nor the file, nor anything in the service.
    expect(await run('kubectl get dataprocessing,secrets')).toBe('');
    expect(await listEverything(bench().tenant(url))).toEqual([]);
    await expect(access(reports)).rejects.toThrow('ENOENT');
  });
});
