// What a computer can do to clusters and jobs besides killing the service: a disk that is full.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, readRecord } from '../../../src/service/backends/processes/clusters/process-record.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { readRun } from '../../engines/support.ts';
import { nothingIsLeft } from './round.ts';
import { findDiskProblem, MortalScene, networkOf, workersOf } from './scene.ts';

const problem = findDiskProblem();
if (problem !== undefined) console.warn(`The test of a full disk is skipped: ${problem}`);

test.skipIf(problem !== undefined)(
  'on a full disk what needs it waits, and nothing else, until there is room',
  async () => {
    const scene = await MortalScene.open({ is: 'tiny' }, { disk: '2m' });
    const id = await scene.createCluster();
    const cluster = await scene.untilActive(id);
    const end = join(scene.root, 'end');
    const lines = () => Number(readFileSync(join(scene.root, 'lines'), 'utf8'));
    const text = `i=0; while [ ! -e ${end} ]; do printf '%02000d\\n' 0; echo $((i+=1)) > ${scene.root}/lines; sleep 0.05; done`;
    const run = await scene.execute(id, text);
    await scene.comes(async () => expect(await scene.statusOf(run)).toBe('RUNNING'));
    // The program has begun by then, but perhaps not come to its first line.
    await scene.comes(() => expect(lines()).toBeGreaterThan(0));
    const filler = join(scene.machines, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(4 * 1024 ** 2))).toThrow('ENOSPC');
    const before = lines();

    // Whatever is new waits, with the reason.
    const waiting = expect.stringMatching(/no space left on device.*; trying again$/);
    const other = await scene.createCluster();
    await scene.comes(async () => {
      const { status, status_description } = await scene.cluster(other);
      expect([status, status_description]).toEqual(['Waiting', waiting]);
    });
    const later = await scene.execute(id, 'exit 0');
    await scene.comes(async () => {
      const { info } = await readRun(scene.peer, later);
      expect(info).toEqual({ status: 'PENDING', message: waiting });
    });

    // What runs goes on, and its end is known.
    await scene.comes(() => expect(lines()).toBeGreaterThan(before + 20));
    writeFileSync(end, '');
    await scene.comes(async () => expect(await scene.statusOf(run)).toBe('SUCCEEDED'));

    // A process that dies is started again as soon as there is room.
    const record = join(scene.machines, id, workersOf(cluster)[0].instance_id, 'datanode.process');
    process.kill(readRecord(record)?.pid ?? 0, 'SIGKILL');
    await scene.comes(async () =>
      expect((await scene.cluster(id)).status_description).toContain('no space left on device'),
    );
    rmSync(filler);
    await scene.comes(() => expect([readRecord(record)].some((known) => known && isAlive(known))).toBe(true));
    await scene.untilActive(other);
    await scene.comes(async () => expect(await scene.statusOf(later)).toBe('SUCCEEDED'));
    await scene.scale(id, 2);
    expect(workersOf(await scene.untilActive(id))).toHaveLength(2);

    // A removal needs no room.
    expect(() => writeFileSync(filler, Buffer.alloc(4 * 1024 ** 2))).toThrow('ENOSPC');
    await scene.peer.remove(`${base}/clusters/${other}`);
    await scene.untilGone(`clusters/${other}`);
    await scene.peer.remove(`${base}/clusters/${id}`);
    await scene.untilGone(`clusters/${id}`);
    rmSync(filler);
    await nothingIsLeft(scene, [networkOf(cluster)], [run, later]);
  },
);
