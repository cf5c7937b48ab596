// Runs get their place in the memory of the computer beside clusters, wait for it, or are refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunMemory } from '../../../../../src/service/backends/processes/jobs/run-memory.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { clusterOf } from '../../../provisioning/battery.ts';
import { openJobs, orderOf, script } from './job-scene.ts';

const cluster = clusterOf([]);
const open = (limit: number | undefined, clusters = 1000) =>
  new RunMemory({ limit, clusters: () => clusters, clusterOf: () => 1000 });

describe('the memory of runs', () => {
  test('is waited for until another run has ended', () => {
    const memory = open(3000);
    memory.reserve('a', 1024);
    const wait = () => memory.reserve('b', 1024);
    expect(wait).toThrow(Transient);
    expect(wait).toThrow(
      'waiting for memory: the program can take 1024 MiB, other jobs 1024 and all clusters 1000, and --machine-memory is 3000',
    );
    memory.reserve('a', 1024);
    expect(memory.taken).toBe(1024);
    memory.release('a');
    wait();
    expect(memory.taken).toBe(1024);
  });

  test('is refused if the cluster of the run alone leaves too little', () => {
    expect(() => open(2000).check(1024, cluster)).toThrow(
      'the program can take 1024 MiB and its cluster 1000, but --machine-memory is 2000: lower spark.driver.memory, choose a smaller edp.flavor',
    );
    open(2024).check(1024, cluster);
  });

  test('is not counted without a limit', () => {
    const memory = open(undefined);
    memory.check(1e6, cluster);
    memory.reserve('a', 1e6);
    expect(memory.taken).toBe(0);
  });

  test('belongs to a program until it has ended, also in the next life of the service', async () => {
    const { create, files } = openJobs();
    const first = open(2500);
    const jobs = create({ admission: first });
    const [going, waiting] = [orderOf(script('while [ ! -e end ]; do sleep 0.05; done')), orderOf(script('true'))];
    await jobs.submit(going);
    await expect(jobs.submit(waiting)).rejects.toThrow(/^waiting for memory/);

    const second = open(2500);
    const next = create({ admission: second });
    expect(second.taken).toBe(1024);
    await expect(next.submit(waiting)).rejects.toThrow(Transient);
    writeFileSync(join(files.paths(going.execution.id).work, 'end'), '');
    expect(await next.finish(going)).toMatchObject({ status: 'SUCCEEDED' });
    await next.submit(waiting);
    expect(await next.finish(waiting)).toMatchObject({ status: 'SUCCEEDED' });
    expect(second.taken).toBe(0);

    const killed = orderOf(script('sleep 600'));
    await next.submit(killed);
    expect(second.taken).toBe(1024);
    await next.kill(killed);
    expect(second.taken).toBe(0);
  });
});
