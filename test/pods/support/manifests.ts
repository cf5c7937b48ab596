// Objects of the operator for tests in pods: a cluster of Spark, a job that waits for a file, and what they need.
import { expect } from 'vitest';
import type { Condition, Manifest, Objects } from '../../../dev/demo/manifests.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { programContainer, workFolder } from '../../../src/service/backends/pods/jobs/run-manifests.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { imageId } from '../../contract/support.ts';
import { cluster, execute } from './cluster.ts';
import { sparkInPods } from './engine-pods.ts';

const object = (kind: string, name: string, spec: object): Manifest => ({ apiVersion, kind, metadata: { name }, spec });

export const connection = (endpoint: string): Manifest =>
  object('Connection', 'default', { endpoint, tenantID: base.split('/').at(-1), auth: { type: 'None' } });

/** It ends when there is a file. */
const inline = 'echo begin; until test -e end; do sleep 1; done; echo end\n';
export const binary = object('JobBinary', 'wait', { content: { fileName: 'wait.sh', inline } });
export const job = object('Job', 'wait', { type: 'Shell', mains: [{ jobBinaryRef: { name: 'wait' } }] });

export const execution = (name: string, more: object = {}): Manifest =>
  object('JobExecution', name, { jobRef: { name: 'wait' }, clusterRef: { name: 'spark' }, ...more });

const common = { flavorID: '2', volumesPerNode: 1, volumesSize: 1 };
export const spark = (workers: number): Manifest =>
  object('Cluster', 'spark', {
    pluginName: 'spark',
    bigdataVersion: sparkInPods(1).version,
    defaultImageID: imageId,
    userKeypairID: 'demo',
    nodeGroups: [
      { ...common, name: 'worker', count: workers, nodeProcesses: ['slave'] },
      { ...common, name: 'master', count: 1, nodeProcesses: ['master'] },
    ],
  });

export const conditionOf = (type: string, conditions: readonly Condition[] = []): Condition | undefined =>
  conditions.find((each) => each.type === type);

export async function isReady(objects: Objects, manifest: Manifest): Promise<void> {
  const { metadata, status } = (await objects.read(manifest)) ?? {};
  expect(status?.observedGeneration).toBe(metadata?.generation);
  expect(conditionOf('Ready', status?.conditions)).toMatchObject({ status: 'True' });
}

/** Lets the only run whose program runs come to its end. */
export async function endProgram(namespace: string): Promise<void> {
  const labelSelector = 'batch.kubernetes.io/job-name';
  const selectors = { labelSelector, fieldSelector: 'status.phase=Running' };
  const { items } = await cluster().core.listNamespacedPod({ namespace, ...selectors });
  expect(items).toHaveLength(1);
  const pod = items[0]?.metadata?.name ?? '';
  await execute({ namespace, pod, container: programContainer }, ['touch', `${workFolder}/end`]);
}
