// Scaling a Cluster: which requests are sent, how often, and what the status reports when they have no effect.
import { expect } from 'vitest';
import type { ClusterRecord } from '../../../../src/service/model/records/records.ts';
import { own } from '../support/replies.ts';
import type { Json } from '../support/sample.ts';
import { clusterSample, countsOf, head, image, network, plugin } from '../support/samples.ts';
import type { Subject } from '../support/subject.ts';
import { runTable, type SpecialCase } from '../support/table.ts';

const group = (name: string, count: number, fields: Json = {}): Json => ({ name, count, ...fields });
const groups = (...nodeGroups: readonly Json[]): Json => ({ nodeGroups });
const by = (name: unknown): Json => ({ nodeGroupTemplateRef: { name } });
const bodies = (subject: Subject): readonly unknown[] => subject.sent('PUT').map((one) => one.body);
const workers = (count: number): Json => ({ resize_node_groups: [{ name: 'worker', count }] });
const machinesOf = (subject: Subject): readonly unknown[] =>
  (subject.row as ClusterRecord).node_groups.flatMap(({ instances }) => instances.map((one) => one.instance_id));

/** Two groups of its own and no template. */
const standalone = (names: Json): Json => ({
  ...plugin,
  defaultImageID: image,
  userKeypairID: 'demo',
  nodeGroups: [head, group('worker', 2, by(names['worker']))],
});

const plain: readonly SpecialCase[] = [
  {
    name: 'more nodes are one request, and Ready when they are there',
    async run({ createReady, world }) {
      const subject = await createReady();
      expect(subject.status['nodes']).toBe('3/3');
      await subject.edit(groups(group('worker', 4)));
      world.held = true;
      await subject.passes(2);
      expect(subject.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'Scaling',
        message: expect.stringMatching(/^scaling/),
      });
      expect(subject.ledger?.change).toMatchObject({ generation: 2, target: { worker: 4 }, tries: 1 });
      world.held = false;
      await subject.ready();
      expect(bodies(subject)).toEqual([workers(4)]);
      expect(countsOf(subject)).toEqual({ head: 1, worker: 4 });
      expect(subject.status['nodes']).toBe('5/5');
      expect(subject.ledger?.change).toBeUndefined();
      expect(subject.eventReasons.filter((reason) => reason === 'Scaling')).toHaveLength(1);
    },
  },
  {
    name: 'a new group is added by its template, and removed with its entry',
    async run({ createReady, names, world }) {
      const subject = await createReady();
      await subject.edit(groups(group('extra', 1, by(names['worker']))));
      await subject.ready();
      const [template] = world.backend.rows('nodeGroupTemplates');
      const added = { name: 'extra', count: 1, node_group_template_id: template?.id };
      expect(bodies(subject)).toEqual([{ add_node_groups: [added] }]);
      await subject.edit(groups());
      await subject.ready();
      expect(bodies(subject).slice(1)).toEqual([{ resize_node_groups: [{ name: 'extra', count: 0 }] }]);
      expect(countsOf(subject)).toEqual({ head: 1, worker: 2 });
    },
  },
  {
    name: 'to zero is no difference to a group that is not there',
    async run({ createReady, world }) {
      const subject = await createReady();
      await subject.edit(groups(group('worker', 0)));
      await subject.ready();
      expect(countsOf(subject)).toEqual({ head: 1 });
      const mark = world.trace.length;
      await subject.passes(4);
      expect(new Set(world.trace.slice(mark))).toEqual(new Set(['GET clusters']));
      await subject.edit(groups(group('worker', 2)));
      await subject.ready();
      expect(countsOf(subject)).toEqual({ head: 1, worker: 2 });
    },
  },
];

const edits: readonly SpecialCase[] = [
  {
    name: 'waits until the cluster is Active, and sends the last of what was wanted meanwhile',
    options: { dialect: 'sahara' },
    spec: (names) => ({ ...clusterSample.spec(names), networkManagementNetwork: network }),
    async run({ createReady, world }) {
      const subject = await createReady();
      world.held = true;
      await subject.edit(groups(group('worker', 4)));
      await subject.passes(2);
      for (const count of [6, 5]) {
        await subject.edit(groups(group('worker', count)));
        await subject.passes(2);
        const message = `scaling worker to 4; count ${count} of worker waits until this has ended`;
        expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'Scaling', message });
      }
      await subject.edit(groups(group('worker', 4)));
      await subject.passes(2);
      expect(subject.condition('Ready')?.message).toBe('scaling worker to 4');
      await subject.edit(groups(group('worker', 5)));
      expect(bodies(subject)).toEqual([workers(4)]);
      world.held = false;
      await subject.ready();
      expect(bodies(subject)).toEqual([workers(4), workers(5)]);
    },
  },
  {
    name: 'replaces the count that is being carried out where the service accepts that, and says so',
    async run({ createReady, world }) {
      const subject = await createReady();
      const machines = machinesOf(subject);
      world.held = true;
      await subject.edit(groups(group('worker', 1)));
      await subject.passes(2);
      const message = 'scaling worker: count 2 replaces the count 1 that was being carried out';
      await subject.edit(groups(group('worker', 2)));
      await subject.passes(3);
      expect(bodies(subject)).toEqual([workers(1), workers(2)]);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'Scaling', message });
      expect(subject.events.filter(({ reason }) => reason === 'Scaling').map(({ note }) => note)).toEqual([
        'scaling worker from 2 to 1',
        message,
      ]);
      world.held = false;
      await subject.ready();
      expect(bodies(subject)).toHaveLength(2);
      expect([machinesOf(subject), subject.ledger?.change]).toEqual([machines, undefined]);
    },
  },
  {
    name: 'goes on with the count that is being carried out when the service does not take the newer one',
    async run({ createReady, world }) {
      const subject = await createReady();
      world.held = true;
      await subject.edit(groups(group('worker', 1)));
      await subject.passes(2);
      world.proxy.on({ method: 'PUT' }, own(400, 'QUOTA_EXCEEDED', 'too many machines'), 1);
      await subject.edit(groups(group('worker', 3)));
      await subject.passes(1);
      expect(subject.condition('Ready')).toMatchObject({
        status: 'False',
        message: expect.stringContaining('too many machines'),
      });
      expect(subject.ledger?.change).toMatchObject({ target: { worker: 1 }, tries: 1 });
      world.held = false;
      await subject.ready();
      expect(bodies(subject)).toEqual([workers(1), workers(3), workers(3)]);
      expect(countsOf(subject)).toEqual({ head: 1, worker: 3 });
    },
  },
];

/** Services keep an added group of which no node came up, with count 0. */
const leftOver: SpecialCase = {
  name: 'goes on with a group that a failed request left empty by resizing it',
  async run({ createReady, names, world }) {
    const subject = await createReady();
    await subject.edit(groups(group('extra', 2, by(names['worker']))));
    await subject.until('added', () => countsOf(subject)['extra'] === 2);
    const row = subject.row as ClusterRecord;
    const node_groups = row.node_groups.map((one) =>
      one.name === 'extra' ? { ...one, count: 0, instances: [] } : one,
    );
    world.backend.put('clusters', { ...row, node_groups, status_description: 'no host was found' });
    await subject.until('tried again', () => subject.sent('PUT').length === 2);
    expect(bodies(subject)[1]).toEqual({ resize_node_groups: [{ name: 'extra', count: 2 }] });
    await subject.ready();
    expect(countsOf(subject)).toEqual({ head: 1, worker: 2, extra: 2 });
  },
};

const answers: readonly SpecialCase[] = [
  {
    name: 'counts a request without an answer where the service was seen at work on it',
    async run({ createReady, world }) {
      const subject = await createReady();
      await subject.edit(groups(group('worker', 4)));
      const before = subject.row;
      const rule = world.proxy.on({ method: 'PUT' }, { act: 'lose', after: 'nothing' });
      for (const hits of [1, 2]) {
        await subject.until('asked for', () => rule.hits === hits);
        world.backend.put('clusters', { ...before, status: 'Scaling' } as never);
        await subject.until('seen at work', () => subject.condition('Ready')?.reason === 'Scaling');
        world.backend.put('clusters', { ...before, status_description: 'no host was found' } as never);
      }
      await subject.until('Stalled', () => subject.condition('Stalled') !== undefined);
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', reason: 'ScaleHasNoEffect' });
    },
  },
];

const references: readonly SpecialCase[] = [
  {
    name: 'takes a group of another template out first, and adds it anew in a later request',
    spec: standalone,
    async run({ createReady, need, world }) {
      const subject = await createReady();
      const other = await need('worker');
      await other.ready();
      await subject.edit(groups(head, group('worker', 3, by(other.key.name))));
      await subject.ready();
      const added = { name: 'worker', count: 3, node_group_template_id: other.status.id };
      expect(bodies(subject)).toEqual([workers(0), { add_node_groups: [added] }]);
      expect(subject.ledger?.madeFrom).toEqual({ head: 'inline', worker: `ref:${other.key.name}` });
      const mark = world.trace.length;
      await subject.passes(4);
      expect(new Set(world.trace.slice(mark))).toEqual(new Set(['GET clusters']));
    },
  },
  {
    name: 'does not follow its template, whoever changes it',
    async run({ createReady, world }) {
      const subject = await createReady();
      const [template] = world.backend.rows('clusterTemplates');
      if (!template) throw new Error('there is no template');
      const node_groups = template.node_groups.map((one) => ({ ...one, count: 9 }));
      world.backend.put('clusterTemplates', { ...template, node_groups });
      world.clock.leap(600_000);
      await subject.passes(3);
      await world.restart();
      await subject.passes(3);
      expect(subject.isReady).toBe(true);
      expect(bodies(subject)).toEqual([]);
    },
  },
  {
    name: 'adds nodes with a flavor of their own where the dialect has words for it',
    spec: (names) => ({ ...standalone(names), networkManagementNetwork: '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f' }),
    options: { dialect: 'sahara' },
    async run({ createReady, names }) {
      const subject = await createReady();
      await subject.edit(groups(head, group('worker', 2, by(names['worker'])), { ...head, name: 'second' }));
      await subject.ready();
      const second = { name: 'second', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] };
      expect(bodies(subject)).toEqual([{ add_node_groups: [second] }]);
    },
  },
];

runTable({
  title: 'scaling a Cluster',
  namespace: 'cluster-scale',
  sample: clusterSample,
  cases: [...plain, ...edits, leftOver, ...answers, ...references],
});
