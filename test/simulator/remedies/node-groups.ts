// The rows of NodeGroups: what is wrong with one itself, and what one reports of its Cluster.
import { expect } from 'vitest';
import type { Reason } from '../../../src/operator/api/shared-api.ts';
import type { Actor } from '../../gitops/actors.ts';
import { actorOf, type Hand, specOf, subject } from './hand.ts';
import { type Row, type Rows, row } from './row.ts';

const kind = 'NodeGroup';
const ofNodeGroup = (cause: string, run: Row['run']): Row => row(cause, [kind], run);

const worker = { name: 'worker', count: 2 };
const clusterNeed = ({ needs }: Actor) => needs.find((one) => one.kind === 'Cluster')?.spec ?? {};
const settled = async (hand: Hand, actor: Actor): Promise<void> => {
  await hand.ground(actor);
  hand.create(actor);
  await hand.reports(kind, subject, 'Available');
};

/** No capacity for the count that the NodeGroup asks for. */
const withoutRoom = async (hand: Hand, actor: Actor): Promise<void> => {
  await settled(hand, actor);
  hand.service({ clusters: [{ status: 'Scaling', operation: 'scale', does: 'fail', message: 'no host was found' }] });
  hand.edit(kind, subject, { count: 9 });
  const message = await hand.reports(kind, subject, 'ScaleHasNoEffect');
  expect(message).toMatch(/^Cluster cluster: .*no host was found.*change the count/);
};

const waitsForCluster: readonly Row[] = [
  ofNodeGroup('there is no Cluster: create it', async (hand, actor) => {
    await hand.ground({ ...actor, needs: actor.needs.filter((one) => one.kind !== 'Cluster') });
    hand.create(actor);
    const message = await hand.reports(kind, subject, 'DependencyNotReady');
    expect(message).toMatch(/Cluster cluster does not exist in this namespace\. Create it/);
    hand.apply('Cluster', 'cluster', clusterNeed(actor));
    await hand.reports(kind, subject, 'Available');
  }),
  ofNodeGroup('its name of the Cluster is wrong: apply it with the right one', async (hand, actor) => {
    await hand.ground(actor);
    hand.create(actor, { clusterRef: { name: 'clutser' } });
    const message = await hand.reports(kind, subject, 'DependencyNotReady');
    expect(message).toMatch(/did you mean cluster\?.* delete this NodeGroup and apply it with the right name/i);
    hand.delete(kind, subject);
    await hand.gone(kind, subject);
    hand.create(actor);
    await hand.reports(kind, subject, 'Available');
  }),
  ...[true, false].map((again) =>
    ofNodeGroup(
      again
        ? 'the Cluster is being deleted: apply it again once it is gone'
        : 'the Cluster is being deleted: delete the NodeGroup, too',
      async (hand, actor) => {
        await settled(hand, actor);
        hand.service({ faults: [{ method: 'DELETE', answer: { is: 'refusal', status: 503 } }] });
        hand.delete('Cluster', 'cluster');
        const message = await hand.reports(kind, subject, 'DependencyNotReady');
        expect(message).toContain('Delete this NodeGroup, too, or apply the Cluster again once it is gone');
        if (!again) {
          hand.delete(kind, subject);
          await hand.gone(kind, subject);
        }
        hand.service({});
        await hand.gone('Cluster', 'cluster');
        if (!again) return;
        hand.apply('Cluster', 'cluster', clusterNeed(actor));
        await hand.reports(kind, subject, 'Available');
      },
    ),
  ),
  ofNodeGroup('the Cluster has no such entry: add it', async (hand, actor) => {
    await hand.ground(actor);
    hand.edit('Cluster', 'cluster', { nodeGroups: [] });
    await hand.reports('Cluster', 'cluster', 'Available');
    hand.create(actor);
    const message = await hand.reports(kind, subject, 'DependencyNotReady');
    expect(message).toContain('no entry worker in spec.nodeGroups (its entries: none). Add one with name and count');
    hand.edit('Cluster', 'cluster', { nodeGroups: [worker] });
    await hand.reports(kind, subject, 'Available');
  }),
];

const refused = ofNodeGroup('the API server does not take its count: let it', async (hand, actor) => {
  await settled(hand, actor);
  hand.edit(kind, subject, { count: 3 });
  await hand.reports(kind, subject, 'Available');
  const accept = hand.rejects('/cluster', 'PATCH', 'a webhook denied the count');
  hand.delete(kind, subject);
  const message = await hand.reports(kind, subject, 'Deleting');
  expect(message).toMatch(/a webhook denied the count.* remove the finalizer of this NodeGroup/);
  accept();
  await hand.gone(kind, subject);
  await hand.reports('Cluster', 'cluster', 'Available');
});

const keptCount = ofNodeGroup('the API server does not take its count: remove the finalizer', async (hand, actor) => {
  await settled(hand, actor);
  hand.edit(kind, subject, { count: 3 });
  await hand.reports(kind, subject, 'Available');
  const accept = hand.rejects('/cluster', 'PATCH', 'a webhook denied the count');
  hand.delete(kind, subject);
  await hand.reports(kind, subject, 'Deleting');
  hand.releases(kind, subject);
  await hand.gone(kind, subject);
  accept();
  await hand.reports('Cluster', 'cluster', 'Available');
});

/** Of these two, the first one has the count. */
const rivals = (cause: string, loser: string, winner: string): Row =>
  ofNodeGroup(cause, async (hand, actor) => {
    await hand.ground(actor);
    hand.apply(kind, 'first', specOf(kind));
    await hand.reports(kind, 'first', 'Available');
    hand.create(actor);
    const message = await hand.reports(kind, subject, 'DuplicateClaim');
    expect(message).toContain('NodeGroup first sets the count of the node group worker');
    hand.delete(kind, loser);
    await hand.gone(kind, loser);
    await hand.reports(kind, winner, 'Available');
  });

export const nodeGroupRows: Rows = {
  Scaling: [
    ofNodeGroup('its count is edited: wait', async (hand, actor) => {
      await settled(hand, actor);
      hand.edit(kind, subject, { count: 3 });
      await hand.reports(kind, subject, 'Scaling');
      await hand.reports(kind, subject, 'Available');
    }),
    ofNodeGroup('its count is edited again while the service adds nodes: wait', async (hand, actor) => {
      await settled(hand, actor);
      const scaling = { status: 'Scaling', operation: 'scale', does: 'stuck' } as const;
      hand.service({ clusters: [scaling] });
      hand.edit(kind, subject, { count: 8 });
      await hand.reports('Cluster', 'cluster', 'Scaling');
      hand.edit(kind, subject, { count: 3 });
      const waits = 'count 3 of worker waits until this has ended';
      const isTold = () => JSON.stringify(hand.object(kind, subject)?.status).includes(waits);
      await hand.until('the NodeGroup says what waits', isTold);
      hand.service({});
      await hand.reports(kind, subject, 'Available');
    }),
  ],
  DependencyNotReady: waitsForCluster,
  InvalidSpec: [
    ofNodeGroup('a field has a value that an earlier schema let through: correct it', async (hand, actor) => {
      await hand.ground(actor);
      hand.create(actor, { count: -1 });
      await hand.reports(kind, subject, 'InvalidSpec');
      hand.edit(kind, subject, { count: 2 });
      await hand.reports(kind, subject, 'Available');
    }),
  ],
  DuplicateClaim: [
    rivals('another NodeGroup has the group: delete this one', subject, 'first'),
    rivals('another NodeGroup has the group: delete that one', 'first', subject),
  ],
  ScaleHasNoEffect: [
    ofNodeGroup('the service has no capacity for more nodes: ask for fewer', async (hand, actor) => {
      await withoutRoom(hand, actor);
      hand.edit(kind, subject, { count: 2 });
      await hand.reports(kind, subject, 'Available');
    }),
    ofNodeGroup('the service has no capacity for more nodes: make room', async (hand, actor) => {
      await withoutRoom(hand, actor);
      hand.service({});
      await hand.reports(kind, subject, 'Available');
    }),
  ],
  Deleting: [refused, keptCount],
};

/** Of these reasons of its Cluster, which does not work: what helps the Cluster helps both. */
const passedOn: readonly Reason[] = [
  'InvalidSpec',
  'NameConflict',
  'AdoptionMismatch',
  'ConnectionChanged',
  'ConnectionNotAllowed',
  'QuotaExceeded',
  'OwnershipUnconfirmed',
  'ExternalDeleted',
  'ExternalError',
  'Suspended',
  'ProgressDeadlineExceeded',
  'DriftNotFixable',
  'Unauthorized',
  'ObservationFailed',
];

/** The group of the NodeGroup stays. */
const withWorker = ({ done, remedy }: NonNullable<Actor['damage']>) => {
  const { nodeGroups = [] } = remedy as { readonly nodeGroups?: readonly object[] };
  return { done, remedy: { ...remedy, nodeGroups: [...nodeGroups, worker] } };
};

const withNodeGroup = ({ cause, run }: Row): Row =>
  ofNodeGroup(`its Cluster: ${cause}`, async (hand) => {
    const cluster = actorOf('Cluster');
    const spec = (stage: Parameters<Actor['spec']>[0]) => ({ ...cluster.spec(stage), nodeGroups: [worker] });
    hand.apply(kind, subject, { ...specOf(kind), clusterRef: { name: subject } });
    await run(hand, { ...cluster, spec, ...(cluster.damage && { damage: withWorker(cluster.damage) }) });
    await hand.reports(kind, subject, 'Available');
  });

export const rowsOfItsCluster = (rows: Rows): Rows =>
  Object.fromEntries(
    passedOn.map((reason) => [
      reason,
      (rows[reason] ?? [])
        .filter(({ kinds, isDeletion }) => kinds.includes('Cluster') && !isDeletion)
        .map(withNodeGroup),
    ]),
  );
