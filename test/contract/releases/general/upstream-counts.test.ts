// The count of a group is the number of machines that there are: what it shows on the way, and after failures.
import { describe, expect, test } from 'vitest';
import { Injector } from '../../../../dev/personality/injector.ts';
import type { Personality } from '../../../../dev/personality/personality.ts';
import { ManualClock } from '../../../support/clock.ts';
import { type Json, serve } from '../../support.ts';
import { at, cluster, inline } from './upstream-support.ts';

type Dialect = 'sahara' | 'savanna';
const node_groups = [
  { ...inline, count: 2 },
  { ...inline, name: 'workers', count: 1 },
];
/** Status, and of each group its count and how many machines it lists. */
const shape = ({ status, node_groups: groups }: Json): string =>
  [status, ...groups.map(({ name, count, instances }: Json) => `${name} ${count}/${instances.length}`)].join(', ');

async function scene(dialect: Dialect = 'sahara', clusters: Personality['clusters'] = []) {
  const clock = new ManualClock();
  const injector = clusters.length > 0 ? { hooks: new Injector(clock, { clusters }) } : {};
  const peer = await serve({ dialect, clock, stageMs: 100, ...injector });
  const { body } = await peer.post(at('clusters'), { ...cluster, node_groups });
  const path = at(`clusters/${body.cluster.id}`);
  const read = async (): Promise<Json> => (await peer.get(path)).body.cluster;
  const watch = async (): Promise<readonly string[]> => {
    const seen = [shape(await read())];
    while (clock.pending > 0) {
      await clock.advance(100);
      seen.push(shape(await read()));
    }
    return seen;
  };
  const settled = async () => (await watch()).at(-1);
  return { clock, peer, path, made: body.cluster as Json, read, watch, settled };
}

const added = { ...inline, name: 'more', count: 2 };
const scaling = { resize_node_groups: [{ name: 'master', count: 3 }], add_node_groups: [added] };

describe('sahara: on the way', () => {
  test('of a start: as asked for, none while they are made, then those there are', async () => {
    const { made, watch } = await scene();
    expect(shape(made)).toBe('Validating, master 2/0, workers 1/0');
    expect(await watch()).toEqual([
      'Validating, master 2/0, workers 1/0',
      'InfraUpdating, master 2/0, workers 1/0',
      'Spawning, master 0/0, workers 0/0',
      'Waiting, master 2/2, workers 1/1',
      'Preparing, master 2/2, workers 1/1',
      'Configuring, master 2/2, workers 1/1',
      'Starting, master 2/2, workers 1/1',
      'Active, master 2/2, workers 1/1',
    ]);
  });

  test('of a scale: the old ones until machines go and come; an emptied group goes with the preparations', async () => {
    const { peer, path, settled, watch } = await scene();
    await settled();
    const resize_node_groups = [...scaling.resize_node_groups, { name: 'workers', count: 0 }];
    const { body } = await peer.put(path, { ...scaling, resize_node_groups });
    expect(shape(body.cluster)).toBe('Validating, master 2/2, workers 1/1, more 0/0');
    expect(await watch()).toEqual([
      'Validating, master 2/2, workers 1/1, more 0/0',
      'Decommissioning, master 2/2, workers 1/1, more 0/0',
      'Scaling, master 2/2, workers 1/1, more 0/0',
      'Scaling: Spawning, master 2/2, workers 0/0, more 0/0',
      'Scaling: Waiting, master 3/3, workers 0/0, more 2/2',
      'Scaling: Preparing, master 3/3, workers 0/0, more 2/2',
      'Configuring, master 3/3, more 2/2',
      'Active, master 3/3, more 2/2',
    ]);
  });

  test('a count below nothing is none in the end', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 100 });
    const { body } = await peer.post(at('clusters'), { ...cluster, node_groups: [{ ...inline, count: -1 }] });
    expect(shape(body.cluster)).toBe('Validating, master -1/0');
    await clock.advance(10_000);
    const shown = await peer.get(at(`clusters/${body.cluster.id}`));
    expect(shape(shown.body.cluster)).toBe('Active, master 0/0');
  });

  test('machines that are about to be made count for the quota', async () => {
    const { clock, peer } = await scene();
    await clock.advance(200);
    const many = [{ ...inline, count: 9_998 }];
    const reply = await peer.post(at('clusters'), { ...cluster, name: 'other', node_groups: many });
    expect([reply.status, reply.body.error_name]).toEqual([400, 'QUOTA_ERROR']);
  });
});

describe('a start that fails', () => {
  const none = 'Error, master 0/0, workers 0/0';
  const asked = 'Error, master 2/0, workers 1/0';
  const there = 'Error, master 2/2, workers 1/1';
  test.each(
    (['sahara', 'savanna'] as const).flatMap((dialect) =>
      (
        [
          ['Validating', asked],
          ['InfraUpdating', asked],
          ['Spawning', none],
          ['Waiting', none],
          ['Preparing', none],
          ['Configuring', there],
          ['Starting', there],
        ] as const
      ).map(([status, end]) => [dialect, status, end] as const),
    ),
  )('%s, in %s: %s', async (dialect, status, end) => {
    const { settled } = await scene(dialect, [{ status, does: 'fail' }]);
    expect(await settled()).toBe(end);
  });
});

describe('a scale that fails', () => {
  const before = 'Active, master 2/2, workers 1/1';
  test.each([
    ['sahara', 'Validating', before],
    ['sahara', 'Decommissioning', `${before}, more 0/0`],
    ['sahara', 'Scaling: Spawning', `${before}, more 0/0`],
    ['sahara', 'Scaling: Waiting', `${before}, more 0/0`],
    ['sahara', 'Scaling: Preparing', 'Active, master 3/3, workers 1/1, more 2/2'],
    ['sahara', 'Configuring', 'Active, master 3/3, workers 1/1, more 2/2'],
    ['savanna', 'Scaling', before],
    ['savanna', 'Adding Instances', before],
    ['savanna', 'Configuring', 'Error, master 3/3, workers 1/1, more 2/2'],
  ] as const)('%s, in %s: %s', async (dialect, status, end) => {
    const { peer, path, settled } = await scene(dialect, [{ status, operation: 'scale', does: 'fail' }]);
    await settled();
    expect((await peer.put(path, scaling)).status).toBe(202);
    expect(await settled()).toBe(end);
  });

  test('savanna, in Decommissioning: Error, with all machines', async () => {
    const fail = { status: 'Decommissioning', does: 'fail' } as const;
    const { peer, path, settled } = await scene('savanna', [fail]);
    await settled();
    await peer.put(path, { resize_node_groups: [{ name: 'master', count: 1 }] });
    expect(await settled()).toBe('Error, master 2/2, workers 1/1');
  });

  test('sahara: the name of the group that got no machines is taken until it is resized, or another scale cleans up', async () => {
    const fail = { status: 'Scaling: Spawning', does: 'fail', nth: 1 } as const;
    const { peer, path, settled } = await scene('sahara', [fail]);
    await settled();
    await peer.put(path, { add_node_groups: [added] });
    await settled();
    const again = await peer.put(path, { add_node_groups: [added] });
    expect([again.status, again.body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    await peer.put(path, { resize_node_groups: [{ name: 'workers', count: 2 }] });
    expect(await settled()).toBe('Active, master 2/2, workers 2/2');
    await peer.put(path, { add_node_groups: [added] });
    expect(await settled()).toBe('Active, master 2/2, workers 2/2, more 2/2');
  });

  test('sahara: the added group is resized to what was wanted', async () => {
    const { peer, path, settled } = await scene('sahara', [{ status: 'Scaling: Spawning', does: 'fail', nth: 1 }]);
    await settled();
    await peer.put(path, { add_node_groups: [added] });
    await settled();
    await peer.put(path, { resize_node_groups: [{ name: 'more', count: 2 }] });
    expect(await settled()).toBe('Active, master 2/2, workers 1/1, more 2/2');
  });
});
