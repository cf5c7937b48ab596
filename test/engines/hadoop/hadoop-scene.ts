// A service with a real Hadoop.
import { join } from 'node:path';
import { expect } from 'vitest';
import { hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base, created } from '../../contract/sections/jobs/section-4-6-support.ts';
import type { Json } from '../../contract/support.ts';
import { findEngine } from '../engines.ts';
import { comes, openScene, readCluster, type Scene, type Wanted } from '../support.ts';

const [hadoop, spark] = [findEngine(hadoopSource), findEngine(sparkSource)];

export const isMissing = hadoop === undefined || spark === undefined;

export const openHadoop = () =>
  openScene(['--spark', spark?.folder ?? '', '--hadoop', hadoop?.folder ?? '', '--java', spark?.java ?? '']);

/** `more`: what the master has besides the heads of HDFS and YARN. */
export const clusterOf = (workers: number, more: readonly string[] = []): Wanted => ({
  plugin: 'vanilla',
  version: hadoop?.version ?? '',
  groups: [
    { name: 'master', count: 1, node_processes: ['namenode', 'resourcemanager', ...more] },
    { name: 'workers', count: workers, node_processes: ['datanode', 'nodemanager'] },
  ],
});

export const scale = (scene: Scene, cluster: string, count: number) =>
  scene.peer().put(`${base}/clusters/${cluster}`, { resize_node_groups: [{ name: 'workers', count }] });

export async function untilScaled(scene: Scene, cluster: string, count: number): Promise<void> {
  await comes(async () => {
    const { node_groups, status, status_description } = await readCluster(scene.peer(), cluster);
    const workers = node_groups.find(({ name }: { readonly name: string }) => name === 'workers');
    expect([status, workers.instances.length, status_description]).toEqual(['Active', count, undefined]);
  });
}

export async function source(scene: Scene, url: string): Promise<string> {
  const name = `source-${Math.random().toString(36).slice(2)}`;
  return created(await scene.peer().post(`${base}/data-sources`, { name, type: 'hdfs', url }))['id'] as string;
}

export async function job(scene: Scene, type: string, libs: readonly string[]): Promise<string> {
  const name = `job-${Math.random().toString(36).slice(2)}`;
  return created(await scene.peer().post(`${base}/jobs`, { name, type, libs }))['id'] as string;
}

/** A file in the folder of a machine, by the process that it has. */
export const fileOf = (scene: Scene, cluster: string, { instance_id }: Json, name: string): string =>
  join(scene.root, 'machines', cluster, instance_id, name);

export const machinesOf = async (scene: Scene, cluster: string, group: string): Promise<readonly Json[]> =>
  (await readCluster(scene.peer(), cluster)).node_groups.find(({ name }: Json) => name === group).instances;

/** A job with a task for each file in `/in`, which takes so many seconds. `memory`: for each task, in MiB. */
export const execute = (scene: Scene, cluster: string, seconds: number, memory?: number): Promise<string> =>
  executeUntil(scene, cluster, `sleep ${seconds}`, memory);

/** The same with tasks that end when the command does. */
export async function executeUntil(scene: Scene, cluster: string, command: string, memory = 256): Promise<string> {
  const configs = {
    'edp.streaming.mapper': `/bin/sh -c "cat; ${command}"`,
    'edp.streaming.reducer': '/bin/cat',
    'mapreduce.map.memory.mb': String(memory),
  };
  const [input_id, output_id] = [await source(scene, '/in'), await source(scene, `/out-${Math.random()}`)];
  const streaming = await job(scene, 'MapReduce.Streaming', []);
  const body = { cluster_id: cluster, input_id, output_id, job_configs: { configs } };
  return created(await scene.peer().post(`${base}/jobs/${streaming}/execute`, body))['id'];
}

/** What YARN knows of its machines, by address. */
export async function readNodes(page: string): Promise<Readonly<Record<string, Json>>> {
  const answer = (await (await fetch(`${page}/ws/v1/cluster/nodes`)).json()) as Json;
  return Object.fromEntries((answer.nodes?.node ?? []).map((node: Json) => [node.nodeHostName, node]));
}
