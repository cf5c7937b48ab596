// Whether runs are over is found out with at most one look at all processes, however many there are. Counted, not timed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findOver } from '../../../../../src/service/backends/processes/jobs/run-ends.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
import { watchLooks } from '../clusters/looks.ts';
import { machine, open as openMachines } from '../clusters/machine-scene.ts';
import { openJobs, orderOf } from './job-scene.ts';

const signal = new AbortController().signal;

/** What a cancelled run leaves: a record of a process that is gone, and no exit code. */
function leave({ files }: Pick<ReturnType<typeof openJobs>, 'files'>, count: number): readonly string[] {
  const ids = Array.from({ length: count }, (_, index) => `left-${index}-of-${process.pid}`);
  const gone = spawnSync('/bin/cat', ['/proc/self/stat'], { encoding: 'utf8' }).stdout;
  for (const id of ids) {
    const { folder, where, decision, memory } = files.paths(id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(where, clusterOf([]).id);
    writeFileSync(decision, gone);
    writeFileSync(memory, '100');
  }
  return ids;
}

test('of any number of cancelled runs, when a cluster is deleted and when a service starts', async () => {
  const scene = openJobs();
  const ids = leave(scene, 150);
  const watched = watchLooks();
  const jobs = scene.create();
  expect(watched.looks).toBe(1);
  const find = () => jobs.runsOn({ cluster: clusterOf([]), tenants: ['t'], signal });
  const found = await find();
  expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(found.every(({ isOver }) => isOver)).toBe(true);
  expect(watched.looks).toBe(2);
});

test('of runs that were ended once, without any look', async () => {
  const scene = openJobs();
  const ids = leave(scene, 20);
  const jobs = scene.create();
  const kills = ids.map((id) => jobs.kill({ ...orderOf(), cluster: undefined, execution: { id } }));
  await Promise.all(kills);
  const watched = watchLooks();
  const found = await scene.create().runsOn({ cluster: clusterOf([]), tenants: ['t'], signal });
  expect([found.length, found.every(({ isOver }) => isOver), watched.looks]).toEqual([20, true, 0]);
});

test('after all of them were read: an earlier look could lack what has begun since', async () => {
  const scene = openJobs();
  const ids = leave(scene, 100);
  const events: string[] = [];
  watchLooks(() => void events.push('look'));
  const over = await findOver(ids, (run) => {
    events.push('read');
    return scene.files.paths(run);
  });
  expect([over.size, events.indexOf('look')]).toEqual([100, 100]);
});

test('machines are launched and removed with one look for all of them', async () => {
  const { provisioner } = openMachines();
  const machines = Array.from({ length: 30 }, (_, index) => machine(100 + index));
  const cluster = { ...clusterOf([groupOf('datanode', machines)]), id: 'many' };
  const order = { tenant: 't', cluster, signal, report: () => undefined };
  const watched = watchLooks();
  await provisioner.launch(order, machines);
  expect(watched.looks).toBe(1);
  await provisioner.launch(order, machines);
  expect(watched.looks).toBe(1);
  await provisioner.remove(order, machines);
  expect(watched.looks).toBe(2);
});
