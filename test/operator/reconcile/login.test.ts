// What is written into a resource while its write waits for a token and a connection, which may take as long as a request.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../src/operator/client/service-client.ts';
import type { Permit } from '../../../src/operator/client/throttle/budget.ts';
import { Starts } from '../../../src/operator/client/throttle/starts.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Kind, RemoteObject } from '../../../src/operator/reconcile/kind/kind.ts';
import { type Ledger, openAttempts } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';
import { classify } from '../../../src/wire/errors/table.ts';
import { ManualClock } from '../../support/clock.ts';
import { aloneWith } from './running.ts';
import { claimOf, clusterRow, image, ledgerOf, resourceOf, templateSpec, uid, usable, viewOf } from './support.ts';

const kinds: readonly Kind[] = [clusterKind, jobExecutionKind, nodeGroupTemplateKind];
const silent = () => undefined;

interface Scene {
  readonly resource: RawResource;
  readonly rows: readonly RemoteObject[];
}

interface Result {
  readonly sent: readonly string[];
  readonly stored: RawResource;
  readonly next: Requeue;
}

/** One pass, in which `deed` is done while the write logs in: what it sent, and what is stored then. */
async function passOver({ resource, rows }: Scene, deed: (before: RawResource) => RawResource): Promise<Result> {
  const clock = new ManualClock({ tickMs: 1 });
  const sent: string[] = [];
  let stored = resource;
  const write =
    (name: string) =>
    async (...given: readonly unknown[]) => {
      const permit = given.find((one): one is Permit => typeof one === 'object' && one !== null && 'release' in one);
      await clock.advance(20_000);
      stored = deed(stored);
      if (permit?.isStillWanted?.() === false)
        throw classify({ method: 'POST', path: '/x' }, { phase: 'unsent', code: 'OUTDATED' });
      sent.push(name);
      return { id: 'id-1', name: 'x', status: 'Active', info: { status: 'RUNNING' } };
    };
  const inventory = {
    observe: async () => viewOf(rows, { listSentAt: clock.monotonic() }),
    age: silent,
    droppedAt: silent,
    isGone: () => false,
    restMs: () => 0,
  };
  const budget = {
    limits: { requestsPerSecond: 500 },
    take: async () => ({ signal: undefined, release: silent }),
  };
  const writes = { create: write('create'), remove: write('remove'), cancelExecution: write('cancel') };
  const service = { inventory, budget, starts: new Starts(clock), ...writes } as unknown as Service;
  const keep = (one: RawResource) => {
    stored = one;
    return stored;
  };
  const pass = createPass(portsOf({ clock, service, read: () => stored, keep }));
  const next = await pass(keyOf(resource), { signal: new AbortController().signal, pollMs: 1_000 });
  return { sent, stored, next };
}

interface Outside {
  readonly clock: ManualClock;
  readonly service: Service;
  readonly read: () => RawResource;
  readonly keep: (resource: RawResource) => RawResource;
}

function portsOf({ clock, service, read, keep }: Outside): PassPorts {
  return {
    store: {
      read: ({ kind }: { readonly kind: string }) => (kind === read().kind ? read() : undefined),
      list: () => [],
      synced: () => true,
      claim: async ({ metadata }: RawResource, ledger = '') => {
        const annotations = { ...read().metadata.annotations, [ledgerAnnotation]: ledger };
        return keep({
          ...read(),
          metadata: { ...read().metadata, finalizers: metadata.finalizers ?? [], annotations },
        });
      },
      writeStatus: async (_resource: RawResource, status: object) => keep({ ...read(), status }),
      readFresh: async () => read(),
    },
    services: { lookup: () => usable({ service }) },
    clock,
    ...aloneWith(kinds),
  } as unknown as PassPorts;
}

const respecified =
  (spec: object) =>
  ({ metadata, ...rest }: RawResource): RawResource => ({
    ...rest,
    metadata: { ...metadata, generation: metadata.generation + 1, resourceVersion: '8' },
    spec: { ...(rest.spec as object), ...spec },
  });

const creating: Scene = { resource: resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec }), rows: [] };
const leaving: Scene = {
  resource: resourceOf({ ledger: ledgerOf([claimOf({ id: 'id-1' })]), deleting: true }),
  rows: [clusterRow()],
};
const run = claimOf({ collection: 'job-executions', name: `${uid}-1`, id: 'id-1' });
const cancelling: Scene = {
  resource: resourceOf({
    kind: jobExecutionKind,
    spec: { jobID: image, clusterID: image, suspend: true },
    ledger: ledgerOf([run]),
  }),
  rows: [{ id: 'id-1', name: run.name, info: { status: 'RUNNING' } } as RemoteObject],
};

const scenes: readonly (readonly [string, Scene, string, object])[] = [
  ['a create of what is suspended', creating, 'create', { suspend: true }],
  ['a create of what is only observed', creating, 'create', { policy: 'Observe' }],
  ['a cancellation of a run that is resumed', cancelling, 'cancel', { suspend: false }],
  ['a DELETE of what is to stay', leaving, 'remove', { deletionPolicy: 'Orphan' }],
];

test.each(scenes)('is not sent: %s', async (_what, scene, _name, spec) => {
  const { sent, stored, next } = await passOver(scene, respecified(spec));
  expect(sent).toEqual([]);
  // It is decided anew, and nothing of it is left in the ledger or said to have failed.
  expect(next).toMatchObject({ next: 'retry' });
  const ledger = JSON.parse(stored.metadata.annotations?.[ledgerAnnotation] ?? '') as Ledger;
  expect(ledger.claims.filter((claim) => openAttempts(claim) > 0 || claim.stopped !== undefined)).toEqual([]);
  expect(ledger.change).toBeUndefined();
  expect(JSON.stringify(stored.status)).not.toContain('UpstreamError');
});

test.each(scenes)('is sent where nothing changes: not %s', async (_what, scene, name) => {
  expect((await passOver(scene, (before) => before)).sent).toEqual([name]);
});
