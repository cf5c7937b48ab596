// The Python packages of a run in a pod are for the Python of its cluster, and reach the pod with its files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { KubeApi } from '../../../../../src/service/backends/pods/api/api.ts';
import { PodJobs, type PodJobsOptions } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { shellJob } from '../../../../../src/service/engines/jobs/shell-job.ts';
import { temporaryFolder } from '../../../../plane/support.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
import { tinyEngine } from '../../processes/clusters/tiny-engine.ts';
import { orderOf, script } from '../../processes/jobs/job-scene.ts';
import { polledObjects } from '../clusters/polled-objects.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const machine = { instance_id: 'm-1', instance_name: 'm', internal_ip: '1', management_ip: '1' };
const cluster = { ...clusterOf([groupOf('namenode', [machine])]), status: 'Active' as const };
const target = { version: '3.10.12', machine: 'x86_64', glibc: 35 };

test('a machine of its cluster is asked, and the archive is one of its files', async () => {
  const folder = await temporaryFolder();
  const made = join(folder, 'made.zip');
  writeFileSync(made, 'packages');
  const [clock, runs] = [new ManualClock(), new PodRuns(join(folder, 'runs'))];
  const api = { recall() {}, create: async () => true, list: async () => [], get: async () => undefined };
  const environment = { from: 'requirements.txt', archive: '.packages/python-environment.zip' };
  const program = () => ({ file: '/bin/true', args: [], env: {}, environment });
  const make = vi.fn(async () => made);
  const pythonOf = vi.fn<NonNullable<PodJobsOptions['pythonOf']>>(async () => target);
  const parts: Partial<PodJobsOptions> = {
    api: api as unknown as KubeApi,
    informers: polledObjects(api as unknown as KubeApi, clock),
    runs,
    clock,
    log,
    engines: [{ ...tinyEngine('vanilla', '1', ['namenode', 'datanode']), jobs: [{ ...shellJob, program }] }],
    flavors: usualFlavors,
    namespaceOf: () => 'data',
    placeOf: async () => ({ namespace: 'data', domain: 'cluster.local', secret: 's' }),
    imageOf: () => ({ reference: 'image', home: '/opt', java: '/java', user: 1, version: '1' }),
    runnerImage: 'runner',
    runnerUrl: 'http://runner',
    pullSecrets: [],
    createSecret: () => 'secret',
    environments: { make },
    pythonOf,
  };
  const engine = new PodJobs(parts as PodJobsOptions);
  onTestFinished(() => engine.close());
  const order = { ...orderOf(script('true'), { libs: [script('six==1\n', 'requirements.txt')] }), cluster };
  await engine.submit(order);
  const [[nodes] = [[]]] = pythonOf.mock.calls;
  expect(nodes.map(({ processes }) => processes)).toEqual([['namenode']]);
  expect(make).toHaveBeenCalledWith('six==1\n', order.signal, target);
  const { work } = runs.paths(order.execution.id);
  expect(readFileSync(join(work, environment.archive), 'utf8')).toBe('packages');
});
