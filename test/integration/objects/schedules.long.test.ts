// A JobSchedule that forbids concurrent runs, one of whose executions the service refuses for good.
import { expect, inject, test, vi } from 'vitest';
import { jobExecutionSample } from '../../operator/kinds/support/samples.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { executionsOf, hourMs, names, patience, runsOf } from '../support/schedules.ts';
import { specs, World } from '../support/world.ts';

test.skipIf(inject('kubeconfig') === '')(
  'Forbid goes on after an execution that the service refuses for good, with the corrected template',
  async () => {
    await using world = await World.create();
    const clock = fastClock(10);
    const schedule = `${(new Date(clock.wall()).getUTCMinutes() + 30) % 60} * * * *`;
    await world.operate(clock);
    await world.connectService({ pollSeconds: 2 });
    for (const need of jobExecutionSample.needs) await world.apply(need.kind, need.as, need.spec(names));
    await world.ready('Cluster', 'cluster');
    const argument = { name: 'count', mappingType: 'args', location: '0', required: true, valueType: 'number' };
    await world.apply('Job', 'counting', { ...specs.job, interface: [argument] });
    const counting = { jobRef: { name: 'counting' }, clusterRef: { name: 'cluster' } };
    const templateOf = (count: string) => ({
      spec: { ...counting, interface: { count }, ttlSecondsAfterFinished: 7_200 },
    });
    const rules = { schedule, concurrencyPolicy: 'Forbid', failedHistoryLimit: 5 };
    await world.apply('JobSchedule', 'hourly', { ...rules, template: templateOf('many') });
    await world.ready('JobSchedule', 'hourly');
    clock.leap(hourMs);
    const states = async () =>
      (await executionsOf(world))
        .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .map(({ status }) => status?.state);
    const shows = (expected: (found: Awaited<ReturnType<typeof states>>) => void) =>
      vi.waitFor(async () => {
        // A pass that began before the leap may have set its timer after it.
        clock.leap(10_000);
        expected(await states());
      }, patience);
    await shows((found) => expect(found).toEqual(['Failed']));
    const refused = runsOf(world).length;
    // A change of something that it refers to repeats it early.
    expect(refused).toBeGreaterThanOrEqual(2);
    expect(refused).toBeLessThanOrEqual(4);
    await world.apply('JobSchedule', 'hourly', { ...rules, template: templateOf('3') });
    clock.leap(hourMs);
    await shows((found) => expect(found).toEqual(['Failed', 'Succeeded']));
    expect(runsOf(world)).toHaveLength(refused + 1);
    // The time to live goes on for the failed one, too.
    clock.leap(hourMs + 60_000);
    await shows((found) => expect(found).not.toContain('Failed'));
  },
  120_000,
);
