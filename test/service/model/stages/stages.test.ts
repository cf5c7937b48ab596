// The stages of operations: each comes to an end, and shows only words that real services show.
import { describe, expect, test } from 'vitest';
import type { Work } from '../../../../src/service/model/records/records.ts';
import { type ClusterStage, clusterStages } from '../../../../src/service/model/stages/cluster-stages.ts';
import type { NewWork } from '../../../../src/service/model/stages/stage-table.ts';
import { type Dialect, dialects } from '../../../../src/wire/dialect.ts';

const known = [
  'Validating',
  'InfraUpdating',
  'Spawning',
  'Waiting',
  'Preparing',
  'Configuring',
  'Starting',
  'Decommissioning',
  'Scaling',
  'Scaling: Spawning',
  'Scaling: Waiting',
  'Scaling: Preparing',
  'Adding Instances',
  'Deleting Instances',
  'Deleting',
];

function from(dialect: Dialect, work: Work): readonly ClusterStage[] {
  const [stage, next] = [clusterStages.find(dialect, work), clusterStages.next(dialect, work)];
  return stage === undefined ? [] : [stage, ...(next === undefined ? [] : from(dialect, next))];
}
function walk(dialect: Dialect, work: NewWork<Work>): readonly ClusterStage[] {
  const first = clusterStages.first(dialect, work);
  return first === undefined ? [] : from(dialect, first);
}
const actions = (dialect: Dialect, work: NewWork<Work>) =>
  walk(dialect, work)
    .map(({ action }) => action)
    .filter((action) => action !== 'nothing');
const scale = (grows: boolean, shrinks = true): NewWork<Work> => ({
  operation: 'scale',
  targets: {},
  grows,
  shrinks,
});

describe.each(dialects)('%s', (dialect) => {
  test('shows only known words', () => {
    for (const word of clusterStages.statuses(dialect)) expect(known).toContain(word);
  });

  test('a start brings machines up and configures them, in this order', () => {
    const done = actions(dialect, { operation: 'start' });
    // The neutral answer lists the instances, so there they are named before the first stage.
    expect(done).toEqual(dialect === 'neutral' ? ['launch', 'configure'] : ['name', 'launch', 'configure']);
  });

  test('a scale takes away before it adds, and names what it adds before', () => {
    const done = actions(dialect, scale(true)).filter((action) => action !== 'drop');
    expect(done.toSorted()).toEqual(['configure', 'launch', 'name', 'shrink']);
    expect(done.indexOf('shrink')).toBeLessThan(done.indexOf('launch'));
    expect(done.indexOf('name')).toBeLessThan(done.indexOf('launch'));
    expect(done.at(-1)).toBe('configure');
  });

  test('a scale that only shrinks configures nothing', () => {
    expect(actions(dialect, scale(false))).not.toContain('configure');
    expect(actions(dialect, scale(false))).toContain('shrink');
  });

  test('a scale that takes nothing away skips what only takes away', () => {
    const words = walk(dialect, scale(true, false)).map(({ status }) => status);
    expect(words).not.toContain('Deleting Instances');
    expect(words.includes('Decommissioning')).toBe(dialect !== 'savanna');
  });

  test('a delete is one stage, at the end of which all is gone', () => {
    expect(walk(dialect, { operation: 'delete' })).toEqual([{ status: 'Deleting', action: 'vanish' }]);
  });

  test('no word is shown twice in one operation', () => {
    for (const work of [scale(true), scale(false), scale(true, false), { operation: 'start' } as const]) {
      const words = walk(dialect, work).map(({ status }) => status);
      expect(new Set(words).size).toBe(words.length);
    }
  });
});
