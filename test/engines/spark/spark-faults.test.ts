// A real Spark on a computer that lacks memory or a port, and whose executors die.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { limitMs } from '../../support/patience.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  leftIn,
  openScene,
  processesBelow,
  readCluster,
  readLog,
  readRun,
  removeCluster,
  run,
  type Scene,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);
const { folder, version, java } = spark ?? { folder: '', version: '', java: '' };
const clusterOf = sparkCluster(version, 1);

/** A Java whose programs get little memory. */
function smallJava(): string {
  const place = mkdtempSync(join(tmpdir(), 'java-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const file = join(place, 'java');
  const script = `case "$*" in *-version*) ;; *) ulimit -v 600000 ;; esac; exec ${java} "$@"`;
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

interface MasterPage {
  readonly workers: readonly { readonly host: string; readonly state: string }[];
  readonly activeapps: readonly { readonly id: string; readonly state: string }[];
}

const has = (pid: number, word: string): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
const isExecutor = (pid: number, address = ''): boolean =>
  has(pid, 'CoarseGrainedExecutorBackend') && has(pid, address);

/** Counts the words of a short text, and works for some seconds more, shared by all cores. */
async function countWords(scene: Scene, cluster: string, seconds: number): Promise<string> {
  const text = join(scene.root, 'files', 'text.txt');
  writeFileSync(text, 'one two one');
  const bytes = await buildJar(folder, 'dev/bench-engines/programs/WordCount.java');
  const job = await createJob(scene.peer(), 'Spark', { name: 'count.jar', bytes });
  const configs = { 'edp.java.main_class': 'WordCount' };
  return await run(scene.peer(), job, cluster, { configs, args: [text, `${seconds}`] });
}

describe.skipIf(spark === undefined)('Spark', () => {
  test('a worker goes before the job ends, although an executor on it has just begun to start', async () => {
    const scene = await openScene(['--spark', folder, '--java', java]);
    const id = await createCluster(scene.peer(), sparkCluster(version, 2));
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.Spark['Web UI'];
    const leaving = page.replace(/^http:\/\/([\d.]+)\.\d+:.*$/, '$1.3');
    const counted = await countWords(scene, id, 150);
    const late = await vi.waitFor(
      () => {
        const [pid = 0] = processesBelow(scene.root).filter((each) => isExecutor(each, leaving));
        expect(pid).not.toBe(0);
        return pid;
      },
      { timeout: limitMs, interval: 5 },
    );
    process.kill(late, 'SIGSTOP');
    await scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count: 1 }] });
    await comes(async () => {
      const { workers } = (await (await fetch(`${page}/json/`)).json()) as MasterPage;
      expect(workers.find(({ host }) => host === leaving)?.state).toBe('DECOMMISSIONED');
    });
    process.kill(late, 'SIGCONT');
    await untilActive(scene, id);
    expect((await readRun(scene.peer(), counted)).info.status).toBe('RUNNING');
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    await removeCluster(scene, id);
  });

  test('a worker that is wanted again before it has gone takes part again, and the job goes on', async () => {
    const scene = await openScene(['--spark', folder, '--java', java]);
    const id = await createCluster(scene.peer(), sparkCluster(version, 2));
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.Spark['Web UI'];
    const leaving = page.replace(/^http:\/\/([\d.]+)\.\d+:.*$/, '$1.3');
    const scale = async (count: number) => {
      const resize_node_groups = [{ name: 'workers', count }];
      expect((await scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups })).status).toBe(202);
    };
    const states = async () => {
      const { workers } = (await (await fetch(`${page}/json/`)).json()) as MasterPage;
      return workers.filter(({ host }) => host === leaving).map(({ state }) => state);
    };
    const counted = await countWords(scene, id, 60);
    const held = await comes(async () => {
      const [pid = 0] = processesBelow(scene.root).filter((each) => isExecutor(each, leaving));
      expect(pid).not.toBe(0);
      return pid;
    });
    // It cannot end, and so neither does the drain.
    process.kill(held, 'SIGSTOP');
    await scale(1);
    await comes(async () => expect(await states()).toContain('DECOMMISSIONED'));
    await scale(2);
    process.kill(held, 'SIGCONT');
    const machines = ({ node_groups }: typeof cluster) =>
      node_groups.flatMap(({ instances }: typeof cluster) => instances.map((one: typeof cluster) => one.instance_id));
    expect(machines(await untilActive(scene, id))).toEqual(machines(cluster));
    expect(await states()).toContain('ALIVE');
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    await removeCluster(scene, id);
  });

  test('without memory, a cluster ends with the reason, and nothing is left of it', async () => {
    const scene = await openScene(['--spark', folder, '--java', smallJava()]);
    const id = await createCluster(scene.peer(), clusterOf);
    await expect(untilActive(scene, id)).rejects.toThrow(/master on .* has ended: .*(memory|space)/);
    await removeCluster(scene, id);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });

  test('a job goes on when the master is killed', async () => {
    const scene = await openScene(['--spark', folder, '--java', java]);
    const id = await createCluster(scene.peer(), clusterOf);
    const cluster = await untilActive(scene, id);
    const applications = async () => {
      const { activeapps } = (await (await fetch(`${cluster.info.Spark['Web UI']}/json/`)).json()) as MasterPage;
      return activeapps.map(({ id: application, state }) => [application, state]);
    };
    const counted = await countWords(scene, id, 60);
    const before = await comes(async () => {
      const found = await applications();
      expect(found).toEqual([[expect.any(String), 'RUNNING']]);
      return found;
    });
    // A master that dies while a worker starts the first executor forgets that one, and the application gets no other.
    await comes(async () => expect(await readLog(scene.peer(), counted)).toContain('one 2'));
    const [master = 0] = processesBelow(scene.root).filter((pid) => has(pid, 'org.apache.spark.deploy.master.Master'));
    process.kill(master, 'SIGKILL');
    await comes(async () => expect(await applications()).toEqual(before));
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    await removeCluster(scene, id);
  });

  test('with --stop-clusters, a service that is ended while a job runs leaves no process', async () => {
    const scene = await openScene(['--spark', folder, '--java', java, '--stop-clusters']);
    const id = await createCluster(scene.peer(), clusterOf);
    await untilActive(scene, id);
    await countWords(scene, id, 150);
    await comes(async () => expect(processesBelow(scene.root).some((pid) => isExecutor(pid))).toBe(true));
    await scene.stop();
    expect(processesBelow(scene.root)).toEqual([]);
  });

  test('a job survives an executor that is killed, and a machine whose port is taken begins once it is free', async () => {
    const scene = await openScene(['--spark', folder, '--java', java]);
    const id = await createCluster(scene.peer(), clusterOf);
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.Spark['Web UI'];

    const counted = await countWords(scene, id, 8);
    const executor = await comes(async () => {
      const [pid = 0] = processesBelow(scene.root).filter((each) => isExecutor(each));
      expect(pid).not.toBe(0);
      return pid;
    });
    process.kill(executor, 'SIGKILL');
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });

    const foreign = createServer();
    const address = page.replace(/^http:\/\/([\d.]+)\.\d+:.*$/, '$1.3');
    await new Promise<void>((resolve) => foreign.listen(7078, address, resolve));
    onTestFinished(() => void foreign.close());
    await scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count: 2 }] });
    await comes(async () => {
      const { status, status_description } = await readCluster(scene.peer(), id);
      expect([status, status_description]).toEqual(['Active', expect.stringContaining('Address already in use')]);
    });
    await new Promise((resolve) => foreign.close(resolve));
    await comes(async () => {
      const { workers } = (await (await fetch(`${page}/json/`)).json()) as MasterPage;
      expect(workers.filter(({ state }) => state === 'ALIVE')).toHaveLength(2);
    });
    await removeCluster(scene, id);
  });
});
