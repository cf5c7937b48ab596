// A JobSchedule on a real API server: it creates executions, deletes old ones, and a restart runs nothing twice.
import { expect, inject, test, vi } from 'vitest';
import { jobExecutionSample } from '../../operator/kinds/support/samples.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { executionsOf, hourMs, names, patience, runsOf } from '../support/schedules.ts';
import { World } from '../support/world.ts';

test.skipIf(inject('kubeconfig') === '')(
  'creates an execution each hour, deletes the one before it, and runs nothing twice after a restart',
  async () => {
    await using world = await World.create();
    const clock = fastClock(5);
    /** As far from the leaps as can be. */
    const schedule = `${(new Date(clock.wall()).getUTCMinutes() + 30) % 60} * * * *`;
    await world.operate(clock);
    await world.connectService();
    for (const need of jobExecutionSample.needs) await world.apply(need.kind, need.as, need.spec(names));
    await world.ready('Cluster', 'cluster');
    const template = { metadata: { labels: { team: 'analytics' } }, spec: jobExecutionSample.spec(names) };
    await world.apply('JobSchedule', 'hourly', { schedule, successfulHistoryLimit: 1, template });
    const { uid } = (await world.ready('JobSchedule', 'hourly')).metadata;
    expect(await executionsOf(world)).toEqual([]);

    const seen: string[] = [];
    /** An hour later there is one execution more, which succeeds, and no other is left. */
    const hourLater = async () => {
      clock.leap(hourMs);
      await vi.waitFor(async () => {
        // A pass that began before the leap may have set its timer after it.
        clock.leap(10_000);
        const found = await executionsOf(world);
        expect(found.filter(({ metadata }) => !seen.includes(metadata.name))).toMatchObject([
          {
            metadata: { labels: template.metadata.labels, ownerReferences: [{ kind: 'JobSchedule', uid }] },
            status: { state: 'Succeeded' },
          },
        ]);
        expect(found.length).toBe(1);
      }, patience);
      seen.push(...(await executionsOf(world)).map(({ metadata }) => metadata.name));
    };

    await hourLater();
    await hourLater();
    const minutes = seen.map((name) => Number(name.replace('hourly-', '')));
    expect(minutes).toEqual([minutes[0], (minutes[0] ?? 0) + 60]);
    const status = async () => (await world.get('JobSchedule', 'hourly'))?.status;
    const last = new Date((minutes[1] ?? 0) * 60_000).toISOString().replace('.000', '');
    await vi.waitFor(
      async () => expect(await status()).toMatchObject({ lastScheduleTime: last, activeCount: 0 }),
      patience,
    );

    await world.halt();
    await world.operate(clock);
    await hourLater();
    expect(new Set(seen).size).toBe(3);
    expect(runsOf(world).length).toBe(3);
  },
  120_000,
);
