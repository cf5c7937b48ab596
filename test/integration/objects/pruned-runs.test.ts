// Runs whose rows somebody has deleted in the service, on a real API server: they keep nothing, and each is asked for once.
import { expect, inject, test, vi } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { isOver } from '../../support/service/runs.ts';
import { specs, World } from '../support/world.ts';

const many = 25;
const patience = { timeout: limitMs, interval: 100 };
const rowGet = /^GET \/v1\.1\/demo\/job-executions\/([^/?]+)$/;

test.skipIf(inject('kubeconfig') === '')(
  'old revisions of a job go, and each missing run is asked for once',
  async () => {
    await using world = await World.create({ stageMs: 20 });
    // The next look at what is left is a poll of the Job, minutes later.
    await world.operate(fastClock(20));
    await world.connectService({ pollSeconds: 1 });
    await world.apply('JobBinary', 'program', specs.program);
    await world.apply('Job', 'words', specs.job);
    await world.apply('Cluster', 'shared', specs.ofJobs);
    await world.ready('Cluster', 'shared');
    const names = Array.from({ length: many }, (_, number) => `words-${number}`);
    const spec = { jobRef: { name: 'words' }, clusterRef: { name: 'shared' } };
    for (const name of names) await world.apply('JobExecution', name, spec);
    for (const name of names)
      await world.until('JobExecution', name, ({ status }) => isOver(status?.conditions), patience.timeout);
    for (const { id } of world.records.list('jobExecutions', 'demo')) world.records.remove('jobExecutions', 'demo', id);

    const jobs = () => world.records.list('jobs', 'demo').map(({ id }) => id);
    const asked = () => world.external.flatMap((line) => rowGet.exec(line)?.[1] ?? []);
    for (const type of ['Java', 'Shell'] as const) {
      const before = jobs();
      expect(before).toHaveLength(1);
      const binaries = [{ jobBinaryRef: { name: 'program' } }];
      await world.apply('Job', 'words', type === 'Java' ? { type, libs: binaries } : { type, mains: binaries });
      await vi.waitUntil(() => jobs().length === 1 && jobs()[0] !== before[0], patience);
    }
    expect(asked()).toHaveLength(many);
    expect(new Set(asked()).size).toBe(many);
  },
);
