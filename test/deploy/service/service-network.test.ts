// Who reaches the bundled service, as its NetworkPolicy says it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Made } from '../../../src/service/backends/pods/api/api.ts';
import { runJob } from '../../../src/service/backends/pods/jobs/run-manifests.ts';
import { repository } from '../../e2e/support/installation.ts';
import { settingOf, sparkCluster } from '../../service/backends/pods/clusters/scene.ts';
import { mayReach } from '../../service/backends/pods/manifests/reachability.ts';

const ports: Readonly<Record<string, number>> = { http: 8386, runner: 8387 };

test('jobs alone reach the port for jobs, and everybody the other one', async () => {
  const text = await readFile(join(repository, 'deploy/provisioner/network-policy.yaml'), 'utf8');
  const policy = JSON.parse(
    JSON.stringify(parse(text)).replaceAll(/"port":"(\w+)"/g, (_port, name: string) => `"port":${ports[name]}`),
  ) as Made;
  const cluster = sparkCluster();
  const rest = {
    image: settingOf(cluster).imageOf({} as never),
    runnerImage: 'runner:1',
    pullSecrets: [],
    disk: 1,
    service: undefined,
  };
  const job = runJob(
    { ...rest, execution: 'e', namespace: 'data', cluster, url: 'http://service', token: 'token' },
    { file: 'java', args: [], env: {} },
  ) as unknown as { spec: { template: { metadata: { labels: Record<string, string> } } } };
  const { labels } = job.spec.template.metadata;
  const service = { namespace: 'dataprocessing-demo', labels: { 'app.kubernetes.io/name': 'dataprocessing-service' } };
  const reach = (from: Record<string, string>) =>
    ['8386', '8387', '22'].filter((port) => mayReach([policy], { namespace: 'data', labels: from }, service, port));
  expect(reach(labels)).toEqual(['8386', '8387']);
  expect(reach({ app: 'web' })).toEqual(['8386']);
  expect(reach({ 'app.kubernetes.io/managed-by': 'dataprocessing-service' })).toEqual(['8386']);
});
