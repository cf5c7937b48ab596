// What is written into a resource, or taken from its namespace, while the service is slow to answer the lists that a DELETE waits for.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import {
  approvePlanAnnotation,
  recreateAnnotation,
  sharedConnectionKind,
} from '../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { clusterTemplateKind } from '../../../src/operator/kinds/cluster-template/index.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Kind, RemoteObject } from '../../../src/operator/reconcile/kind/kind.ts';
import { contentHash, revisionName } from '../../../src/operator/reconcile/ledger/naming.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { ManualClock } from '../../support/clock.ts';
import { aloneWith } from './running.ts';
import { readyStatus } from './status/concluding.ts';
import {
  claimOf,
  clusterRow,
  clusterSpec,
  image,
  installation,
  ledgerOf,
  type ResourceOptions,
  resourceOf,
  templateSpec,
  uid,
  usable,
  viewOf,
} from './support.ts';

interface Stored {
  readonly resource: RawResource;
  /** Whether the SharedConnection selects the namespace. */
  readonly isSelected: boolean;
  /** What refers to it. */
  readonly others?: readonly RawResource[];
}

type Deed = (before: Stored) => Stored;

interface Scene {
  readonly resource: RawResource;
  readonly rows: readonly RemoteObject[];
  /** Which LIST of the first pass is the slow one; `permit`: not a LIST, but the wait for the permit after them. */
  readonly slow: number | 'permit';
}

const listMs = 20_000;
const silent = () => undefined;

/** Two passes, the second one as soon as the deed is known: the ids that each sent a DELETE for. `deed` is done a second after the slow LIST was sent. */
async function deletedIn({ resource, rows, slow }: Scene, deed: Deed): Promise<readonly (readonly string[])[]> {
  const clock = new ManualClock({ tickMs: 1 });
  let stored: Stored = { resource, isSelected: true };
  let [lists, deleted]: [number, string[]] = [0, []];
  const pause = async () => {
    await clock.advance(1_000);
    stored = deed(stored);
    await clock.advance(listMs - 1_000);
  };
  let permits = 0;
  const take = async () => {
    permits += 1;
    if (slow === 'permit' && permits === 1) await pause();
    return { signal: undefined, release: silent };
  };
  const service = {
    inventory: {
      observe: async () => {
        const sentAt = clock.monotonic();
        lists += 1;
        if (lists === slow) await pause();
        return viewOf(rows, { listSentAt: sentAt });
      },
      age: silent,
      droppedAt: silent,
      isGone: () => false,
      restMs: () => 0,
    },
    budget: { limits: { requestsPerSecond: 500 }, take },
    remove: async (_route: unknown, id: string) => void deleted.push(id),
  } as unknown as Service;
  const pass = createPass(portsOf({ clock, service, read: () => stored }));
  const sent = async () => {
    deleted = [];
    await pass(keyOf(resource), { signal: new AbortController().signal, pollMs: 1_000 });
    return deleted;
  };
  return [await sent(), await sent()];
}

interface Outside {
  readonly clock: ManualClock;
  readonly service: Service;
  readonly read: () => Stored;
}

function portsOf({ clock, service, read }: Outside): PassPorts {
  const kinds = [clusterKind, clusterTemplateKind, jobExecutionKind, nodeGroupTemplateKind];
  const shared = () => ({
    ...resourceOf(),
    kind: sharedConnectionKind,
    spec: { namespaces: read().isSelected ? ['team-a'] : [] },
  });
  return {
    store: {
      read: ({ kind }: { readonly kind: string }) => {
        if (kind === sharedConnectionKind) return shared();
        return kind === 'Namespace' ? undefined : read().resource;
      },
      list: (kind: string) => (read().others ?? []).filter((one) => one.kind === kind),
      synced: () => true,
      writeStatus: async () => read().resource,
    },
    services: { lookup: () => usable({ service }) },
    clock,
    ...aloneWith(kinds),
  } as unknown as PassPorts;
}

// --- what a DELETE is due for --------------------------------------------------------------------------------------------

const connectionRef = { kind: sharedConnectionKind, name: 'platform' };
const annotated = (resource: RawResource, annotations: Readonly<Record<string, string>>): RawResource => ({
  ...resource,
  metadata: { ...resource.metadata, annotations: { ...resource.metadata.annotations, ...annotations } },
});

const content = nodeGroupTemplateKind.content(nodeGroupTemplateKind.definition.spec.parse(templateSpec), () => '');
const named = (hash: string): string => revisionName({ name: 'etl', uid, installation }, hash);
const revision = (id: string, hash: string) =>
  claimOf({ collection: 'node-group-templates', id, hash, name: named(hash) });
const [wanted, before] = [contentHash(content), 'aaaaaaaa'];

/** A template with an old revision that nothing refers to. */
const collecting: Scene = {
  resource: resourceOf({
    kind: nodeGroupTemplateKind,
    spec: { ...templateSpec, connectionRef },
    status: readyStatus,
    ledger: ledgerOf([{ ...revision('id-1', before), role: 'revision' }, revision('id-2', wanted)]),
  }),
  rows: [
    { id: 'id-1', name: named(before) },
    { id: 'id-2', name: named(wanted) },
  ],
  slow: 4,
};

const clusterAs = (options: ResourceOptions): Scene => ({
  resource: resourceOf({
    spec: { ...clusterSpec, connectionRef },
    status: readyStatus,
    ledger: ledgerOf([claimOf({ id: 'id-1' })]),
    ...options,
  }),
  rows: [clusterRow()],
  slow: 1,
});

/** A Cluster whose user has asked for another one in place of it. */
const recreated: Scene = {
  ...clusterAs({}),
  resource: annotated(clusterAs({}).resource, { [recreateAnnotation]: 'id-1' }),
};

const leaving = clusterAs({ deleting: true });

/** A template that is being deleted. */
const leavingTemplate: Scene = {
  resource: resourceOf({
    kind: nodeGroupTemplateKind,
    spec: { ...templateSpec, connectionRef },
    ledger: ledgerOf([revision('id-2', wanted)]),
    deleting: true,
  }),
  rows: [{ id: 'id-2', name: named(wanted) }],
  slow: 'permit',
};

// --- what is done meanwhile ----------------------------------------------------------------------------------------------

const respecified =
  (spec: object): Deed =>
  ({ resource, ...rest }) => {
    const { metadata } = resource;
    const after = { ...metadata, generation: metadata.generation + 1, resourceVersion: '8' };
    return { ...rest, resource: { ...resource, metadata: after, spec: { ...(resource.spec as object), ...spec } } };
  };

const marked =
  (annotations: Readonly<Record<string, string>>): Deed =>
  (stored) => ({ ...stored, resource: annotated(stored.resource, annotations) });

const joined =
  (kind: Kind, spec: object, id?: string): Deed =>
  (stored) => {
    const claim = claimOf({ name: 'other-1', ...(id !== undefined && { id }) });
    const other = resourceOf({
      kind,
      spec: { ...spec, connectionRef },
      ledger: ledgerOf([claim], { uid: 'other' }),
      metadata: { uid: 'other', name: 'other' },
    });
    return { ...stored, others: [other] };
  };

const ofTemplate = { nodeGroups: [{ name: 'worker', count: 1, nodeGroupTemplateRef: { name: 'etl' } }] };
const pluginOf = { pluginName: 'vanilla', bigdataVersion: '1.2.1' };
const byTemplate = (id?: string) => joined(clusterTemplateKind, { ...pluginOf, ...ofTemplate }, id);
const byRun = (id?: string) => joined(jobExecutionKind, { jobID: image, clusterRef: { name: 'etl' } }, id);

const suspended = respecified({ suspend: true });
const observed = respecified({ policy: 'Observe' });
const planned = respecified({ policy: 'Plan' });
const unselected: Deed = (stored) => ({ ...stored, isSelected: false });
const labelled: Deed = ({ resource, ...rest }) => ({
  ...rest,
  resource: { ...resource, metadata: { ...resource.metadata, resourceVersion: '8', labels: { team: 'a' } } },
});

describe('while a LIST takes 20 seconds', () => {
  test.each<readonly [string, Scene, Deed]>([
    ['an old revision is not deleted when its template is suspended', collecting, suspended],
    ['an old revision is not deleted when its template is only observed', collecting, observed],
    ['an old revision is not deleted when each write has to be approved', collecting, planned],
    ['an old revision is not deleted when its namespace is not selected any more', collecting, unselected],
    ['a cluster is not replaced when it is suspended', recreated, suspended],
    ['a cluster is not replaced when it is only observed', recreated, observed],
    ['a cluster is not replaced when each write has to be approved', recreated, planned],
    ['a cluster is not replaced when its namespace is not selected any more', recreated, unselected],
    ['a cluster is not replaced when its user takes that back', recreated, marked({ [recreateAnnotation]: '' })],
    ['a cluster is not deleted when it is to stay', leaving, respecified({ deletionPolicy: 'Orphan' })],
    ['a cluster is not deleted when it is only observed', leaving, observed],
  ])('%s', async (_name, scene, deed) => {
    const [first = []] = await deletedIn(scene, deed);
    expect(first).toEqual([]);
  });

  test.each<readonly [string, Scene, Deed]>([
    ['a template', leavingTemplate, byTemplate('id-9')],
    ['a cluster', { ...leaving, slow: 'permit' }, byRun('id-9')],
  ])('what comes to use %s meanwhile keeps it', async (_name, scene, deed) => {
    expect(await deletedIn(scene, deed)).toEqual([[], []]);
  });

  test.each<readonly [string, Scene, Deed, string]>([
    ['a template', leavingTemplate, byTemplate(), 'id-2'],
    ['a cluster', { ...leaving, slow: 'permit' }, byRun(), 'id-1'],
  ])('what has nothing in the service keeps nothing: %s', async (_name, scene, deed, id) => {
    const [first = []] = await deletedIn(scene, deed);
    expect(first).toEqual([id]);
  });

  test('the next pass decides anew: what still has to go goes then', async () => {
    const deed = marked({ [approvePlanAnnotation]: 'another' });
    expect(await deletedIn(collecting, deed)).toEqual([[], ['id-1']]);
    expect(await deletedIn(recreated, deed)).toEqual([[], ['id-1']]);
  });

  test.each<readonly [string, Scene, Deed]>([
    ['a label on a template', collecting, labelled],
    ['a label on a cluster', recreated, labelled],
    ['a suspension of what is being deleted', leaving, suspended],
    ['an edit of what is being deleted', leaving, respecified({ userKeypairID: 'another' })],
    ['a namespace that is not selected any more', leaving, unselected],
  ])('nothing is held up by %s', async (_name, scene, deed) => {
    const [first = []] = await deletedIn(scene, deed);
    expect(first).toEqual(['id-1']);
  });
});
