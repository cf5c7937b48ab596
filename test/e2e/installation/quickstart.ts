// The quick start of the README on a cluster, as written: one command installs, and then the examples work as they are.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Service } from '../../../dev/demo/launch.ts';
import { readManifests } from '../../../dev/demo/manifests.ts';
import { hasStatus, waitForReady } from '../../../dev/demo/readiness.ts';
import { listEverything } from '../../../dev/demo/remote.ts';
import { Cleanup } from '../../../dev/demo/stage.ts';
import { haveKubectl } from '../../gitops/readers/kubectl-wait.ts';
import { helm } from '../../support/kubernetes/helm.ts';
import { limitMs } from '../../support/patience.ts';
import { blocksIn, commandsIn, readPage } from '../support/documents.ts';
import { repository } from '../support/installation.ts';
import { type Cluster, demoNamespace, openCluster, runIn, runOperator, runService } from './cluster.ts';

const [, rest = ''] = readPage('README.md').split('\n## Quick start on a cluster\n');
/** With what comes after it. */
export const section = rest;
const commands = commandsIn(section.split('\n## ')[0] ?? '');
const bound = { withinMs: limitMs } as const;

/** No pod runs here, so nothing waits for one. */
const withoutPods = (command: string): string => command.replace(/ --wait$/, '');

export const installations = commands.filter((command) => / apply .*-k |^helm install /.test(command));

export function quickStart(by: 'kubectl' | 'helm'): void {
  const installation = installations.find((command) => command.startsWith(`${by} `)) ?? '';
  describe.skipIf(inject('kubeconfig') === '' || !haveKubectl || helm === undefined)('the quick start', () => {
    test(`by ${installation}`, async () => {
      const cleanup = new Cleanup();
      onTestFinished(async () => cleanup.run());
      const cluster = await openCluster(cleanup);
      await runIn(cluster, withoutPods(installation), helm);
      const service = await runService(cluster);
      await runOperator(cluster, service);
      await applySpark(cluster);
      await applyAllAndUninstall(cluster, service);
    });
  });
}

async function applySpark(cluster: Cluster): Promise<void> {
  // The page of the master comes from a pod.
  const uses = commands.filter(
    (command) =>
      / (apply|wait|get) .*(-f |--for|dataprocessing$)/.test(command) &&
      // Its clusters are simulated here, and run no programs.
      !/examples\/jobs|Complete/.test(command) &&
      command.startsWith(`kubectl -n ${demoNamespace} `),
  );
  expect(uses.length).toBeGreaterThan(2);
  for (const command of uses.slice(0, -1)) await runIn(cluster, command);
  const examples = (await readManifests(join(repository, 'examples', 'spark'))).filter(hasStatus);
  const wanted = ['Cluster', 'ClusterTemplate', 'Connection', 'NodeGroupTemplate', 'NodeGroupTemplate'];
  expect(examples.map(({ kind }) => kind).toSorted()).toEqual(wanted);
  await waitForReady(cluster.objects, examples, bound);
  const shown = (await runIn(cluster, uses.at(-1) ?? ''))
    .split('\n')
    .filter((line) => / (True|False|Unknown) /.test(line));
  expect(shown.filter((line) => !/ True /.test(line))).toEqual([]);
  expect(shown).toHaveLength(examples.length);
}

async function applyAllAndUninstall(cluster: Cluster, service: Service): Promise<void> {
  await runIn(cluster, `kubectl -n ${demoNamespace} apply --server-side -f examples/`);
  const others = (await readManifests(join(repository, 'examples'))).filter(hasStatus);
  await waitForReady(cluster.objects, others, bound);
  expect(await readdir(cluster.folder)).toContain('service.db');

  await runIn(cluster, `kubectl -n ${demoNamespace} apply --server-side -f examples/jobs/`);
  await runIn(cluster, `kubectl -n ${demoNamespace} wait --for=condition=Ready dpjb,dpjob --all --timeout=2m`);
  const [objects = '', secrets = ''] = blocksIn(readPage('docs/how-to/uninstall.md'), 'sh');
  for (const block of [objects, secrets]) await runIn(cluster, block);
  expect(await runIn(cluster, 'kubectl get dataprocessing -A')).toBe('');
  expect(await runIn(cluster, 'kubectl get secrets -A --field-selector type=dataprocessing.dev/credentials')).toBe('');
  const token = await readFile(join(cluster.folder, 'token'), 'utf8');
  expect(await listEverything({ url: service.url, tenant: 'demo', token })).toEqual([]);
}
