// One life of a cluster, from its creation to its end, in which the service is killed at one point of each phase.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Json } from '../../contract/peer.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { portsAt } from '../support/listening.ts';
import { layouts } from './engines.ts';
import type { Point, Round } from './points.ts';
import { type MortalScene, networkOf } from './scene.ts';

/** Does something during which the service is killed, and waits for what the next life makes of it. */
async function dying(scene: MortalScene, point: Point | undefined, work: () => Promise<void>): Promise<void> {
  if (point !== undefined) scene.arm(point);
  await work();
  expect(scene.isArmed(), 'the service has not come to the point').toBe(false);
}

const machinesOf = (cluster: Json): readonly string[] =>
  cluster.node_groups.flatMap(({ instances }: Json) => instances.map(({ instance_id }: Json) => instance_id));

/** Exactly the machines on record are there, each one with its processes, which run once. */
async function isWhole(scene: MortalScene, id: string, workers: number): Promise<void> {
  const { head, worker, each } = layouts[scene.subject.is];
  const cluster = await scene.untilActive(id);
  expect(machinesOf(cluster)).toHaveLength(1 + workers);
  const folders = readdirSync(join(scene.machines, id), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).toSorted()).toEqual(machinesOf(cluster).toSorted());
  const processes = (head.length + worker.length * workers) * each;
  await scene.comes(() => expect(scene.processes()).toHaveLength(processes));
}

/** A script that counts its starts, and ends when it may. */
function script(scene: MortalScene, name: string) {
  const [starts, end] = [join(scene.root, `${name}.starts`), join(scene.root, `${name}.end`)];
  return {
    text: `echo start >> ${starts}; while [ ! -e ${end} ]; do sleep 0.05; done`,
    starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8').split('\n').length - 1 : 0),
    end: () => writeFileSync(end, ''),
  };
}

const statusComes = (scene: MortalScene, run: string, status: string) =>
  scene.comes(async () => expect(await scene.statusOf(run)).toBe(status));

async function job(scene: MortalScene, id: string, point: Point): Promise<string> {
  const { text, starts, end } = script(scene, 'job');
  let run = '';
  await dying(scene, point, async () => {
    run = await scene.execute(id, text);
    await scene.comes(() => expect(starts()).toBe(1));
    end();
    await statusComes(scene, run, 'SUCCEEDED');
  });
  expect(starts()).toBe(1);
  return run;
}

/** A run that goes on until it is killed. */
async function running(scene: MortalScene, id: string, name: string): Promise<string> {
  const run = await scene.execute(id, script(scene, name).text);
  await statusComes(scene, run, 'RUNNING');
  return run;
}

async function cancelled(scene: MortalScene, id: string, point: Point): Promise<string> {
  const run = await running(scene, id, 'cancelled');
  await dying(scene, point, async () => {
    await scene.peer.get(`${base}/job-executions/${run}/cancel`);
    await statusComes(scene, run, 'KILLED');
  });
  return run;
}

/** No process, no port and no file. */
export async function nothingIsLeft(
  scene: MortalScene,
  networks: readonly string[],
  runs: readonly string[],
): Promise<void> {
  for (const run of runs) expect((await scene.peer.remove(`${base}/job-executions/${run}`)).status).toBe(204);
  await scene.comes(() => expect([scene.processes(), scene.files(), portsAt(networks)]).toEqual([[], [], []]));
}

/** The cluster grows by a machine and loses it again. */
async function scaled(scene: MortalScene, id: string, { grow, shrink }: Round): Promise<void> {
  const before = scene.processes();
  await dying(scene, grow, async () => {
    await scene.scale(id, 2);
    await isWhole(scene, id, 2);
  });
  expect(scene.processes()).toEqual(expect.arrayContaining([...before]));
  await dying(scene, shrink, async () => {
    await scene.scale(id, 1);
    await isWhole(scene, id, 1);
  });
}

/** A phase without a point is left out, as far as the others do not need it. */
export async function live(scene: MortalScene, round: Round): Promise<void> {
  let id = '';
  await dying(scene, round.create, async () => {
    id = await scene.createCluster();
    await isWhole(scene, id, 1);
  });
  const networks = [networkOf(await scene.cluster(id))];
  expect([portsAt(networks), scene.files()]).not.toContainEqual([]);
  const runs = round.job === undefined ? [] : [await job(scene, id, round.job)];
  if (round.cancel !== undefined) runs.push(await cancelled(scene, id, round.cancel));
  if (round.grow !== undefined || round.shrink !== undefined) await scaled(scene, id, round);
  const last = await running(scene, id, 'last');
  await dying(scene, round.delete, async () => {
    await scene.peer.remove(`${base}/clusters/${id}`);
    await scene.untilGone(`clusters/${id}`);
  });
  expect(await scene.statusOf(last)).toBe('KILLED');
  await nothingIsLeft(scene, networks, [...runs, last]);
}
