// A real engine behind the bundled service, which runs as a process of its own.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { connect, type Json, type Peer } from '../contract/peer.ts';
import { base, created, upload } from '../contract/sections/jobs/section-4-6-support.ts';
import { imageId } from '../contract/support.ts';
import { type ServiceProcess, startService } from '../service/support/process.ts';
import { limitMs } from '../support/patience.ts';

/** Waits for a condition that real processes bring about. */
export const comes = <T>(condition: () => Promise<T>): Promise<T> =>
  vi.waitFor(condition, { timeout: limitMs, interval: 100 });

export interface Scene {
  readonly root: string;
  readonly peer: () => Peer;
  /** Kills the service, and starts it again over the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The service with its data and machines in a folder that goes with the test. */
export const openScene = (flags: readonly string[]): Promise<Scene> =>
  openSceneOf((files) => ['--provisioner', 'processes', '--job-files', files, ...flags]);

/** The same with any provisioner. `flagsOf`: the flags, for a folder with files for jobs. */
export async function openSceneOf(flagsOf: (files: string) => readonly string[]): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), 'engines-'));
  const files = join(root, 'files');
  mkdirSync(files);
  const start = () => startService('--data', join(root, 'service.db'), '--log-level', 'warn', ...flagsOf(files));
  let service: ServiceProcess = await start();
  let ended = false;
  const stop = async () => {
    if (!ended) await service.kill('SIGTERM');
    ended = true;
  };
  onTestFinished(async () => {
    await stop();
    for (const pid of processesBelow(root)) process.kill(pid, 'SIGKILL');
    rmSync(root, { recursive: true, force: true });
  });
  return {
    root,
    peer: () => connect(service.url),
    async restart() {
      await service.kill('SIGKILL');
      service = await start();
    },
    stop,
  };
}

/** Processes that run in a folder, or name it on their command line. The service itself does not count. */
export function processesBelow(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(folder) && !command.includes('src/service/program/main.ts');
      } catch {
        // It has ended.
        return false;
      }
    })
    .map(Number);
}

/** What clusters and runs have left in the folder of machines. */
export const leftIn = (root: string): readonly string[] => {
  const machines = join(root, 'machines');
  const left = existsSync(machines) ? readdirSync(machines, { recursive: true, encoding: 'utf8' }) : [];
  return left.filter((file) => file !== 'service.process');
};

export interface Wanted {
  readonly plugin: string;
  readonly version: string;
  readonly cluster_configs?: object;
  readonly groups: readonly {
    readonly name: string;
    readonly count: number;
    readonly node_processes: readonly string[];
    /** When absent: of 2 cores and 2 GiB. */
    readonly flavor_id?: string;
    readonly volumes_per_node?: number;
    /** In GiB. */
    readonly volumes_size?: number;
  }[];
}

/** A Spark cluster of one master and so many workers. */
export const sparkCluster = (version: string, workers: number): Wanted => ({
  plugin: 'spark',
  version,
  groups: [
    { name: 'master', count: 1, node_processes: ['master'] },
    { name: 'workers', count: workers, node_processes: ['slave'] },
  ],
});

/** A Flink cluster of a job manager and so many task managers. */
export const flinkCluster = (version: string, workers: number): Wanted => ({
  plugin: 'flink',
  version,
  groups: [
    { name: 'head', count: 1, node_processes: ['jobmanager'] },
    { name: 'workers', count: workers, node_processes: ['taskmanager'] },
  ],
});

export async function createCluster(peer: Peer, { plugin, version, cluster_configs, groups }: Wanted): Promise<string> {
  const body = {
    name: `cluster-${Math.random().toString(36).slice(2)}`,
    plugin_name: plugin,
    bigdata_version: version,
    default_image_id: imageId,
    user_keypair_id: 'my-key',
    cluster_configs,
    node_groups: groups.map((group) => ({ flavor_id: '2', ...group })),
  };
  return created(await peer.post(`${base}/clusters`, body))['id'];
}

export const readCluster = async (peer: Peer, id: string): Promise<Json> =>
  (await peer.get(`${base}/clusters/${id}`)).body?.cluster;

/** Rejects at once if it comes to `Error` instead. */
export async function untilActive(scene: Scene, id: string): Promise<Json> {
  for (;;) {
    const cluster = await comes(async () => {
      const now = await readCluster(scene.peer(), id);
      expect(['Active', 'Error']).toContain(now?.status);
      return now;
    });
    if (cluster.status === 'Error') throw new Error(`the cluster is in Error: ${cluster.status_description}`);
    return cluster;
  }
}

export async function removeCluster(scene: Scene, id: string): Promise<void> {
  await scene.peer().remove(`${base}/clusters/${id}`);
  await comes(async () => expect((await scene.peer().get(`${base}/clusters/${id}`)).status).toBe(404));
}

export interface JobFile {
  readonly name: string;
  readonly bytes: string | Buffer;
  /** What its file is called. When absent: like the binary. */
  readonly fileName?: string;
}

/** A job of a type with one main, or none. */
export async function createJob(peer: Peer, type: string, file: JobFile | undefined, libs: readonly JobFile[] = []) {
  const mains = file === undefined ? [] : [await createBinary(peer, file)];
  const added = await Promise.all(libs.map((lib) => createBinary(peer, lib)));
  const name = `job-${Math.random().toString(36).slice(2)}`;
  return created(await peer.post(`${base}/jobs`, { name, type, mains, libs: added }))['id'] as string;
}

async function createBinary(peer: Peer, { name, bytes, fileName: file_name }: JobFile): Promise<string> {
  const internal = typeof bytes === 'string' ? await upload(peer, name, bytes) : await uploadBytes(peer, name, bytes);
  const url = `internal-db://${created(internal).id}`;
  return created(await peer.post(`${base}/job-binaries`, { name, url, ...(file_name && { extra: { file_name } }) }))[
    'id'
  ] as string;
}

async function uploadBytes(peer: Peer, name: string, bytes: Buffer) {
  const response = await peer.fetch(`${base}/job-binary-internals/${name}`, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'application/octet-stream' },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** The identifier of a new data source in HDFS. */
export async function createSource(peer: Peer, url: string): Promise<string> {
  const name = `source-${Math.random().toString(36).slice(2)}`;
  return created(await peer.post(`${base}/data-sources`, { name, type: 'hdfs', url }))['id'];
}

export async function run(peer: Peer, job: string, cluster_id: string, job_configs: object): Promise<string> {
  const reply = await peer.post(`${base}/jobs/${job}/execute`, { cluster_id, job_configs });
  return created(reply)['id'];
}

export const readRun = async (peer: Peer, id: string): Promise<Json> =>
  (await peer.get(`${base}/job-executions/${id}`)).body.job_execution;

const ends = ['SUCCEEDED', 'FAILED', 'KILLED', 'DONEWITHERROR'];

export const untilEnded = (scene: Scene, id: string): Promise<Json> =>
  comes(async () => {
    const { info } = await readRun(scene.peer(), id);
    expect(ends, JSON.stringify(info)).toContain(info.status);
    return info;
  });

export const readLog = async (peer: Peer, id: string): Promise<string> =>
  (await peer.get(`${base}/job-executions/${id}/logs`)).text;
