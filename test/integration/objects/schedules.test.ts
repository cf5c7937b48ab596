// A JobSchedule on a real API server: it creates executions, deletes old ones, and a restart runs nothing twice.
import { expect, inject, test, vi } from 'vitest';
import type { Json } from '../../operator/kinds/support/sample.ts';
import { jobExecutionSample } from '../../operator/kinds/support/samples.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { specs, World } from '../support/world.ts';

const hourMs = 3_600_000;
const patience = { timeout: limitMs, interval: 200 };
const names: Json = { worker: 'worker', small: 'small', program: 'program', cluster: 'cluster', job: 'job' };

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly state?: string };
}

async function executionsOf(world: World): Promise<readonly Listed[]> {
  const { body } = await world.api.send({ path: world.path('JobExecution') });
  return (body as { readonly items: readonly Listed[] }).items;
}

const runsOf = ({ external }: World) => external.filter((line) => /^POST \/v1\.1\/.*\/execute$/.test(line));

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
