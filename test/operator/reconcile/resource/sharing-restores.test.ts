// A ledger that was written for another resource, and comes through a SharedConnection that lets no namespace take what exists: in its own namespace, it was
// restored; in any other one, somebody brought it there.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { ledgerAnnotation, sharedConnectionKind, takeOverAnnotation } from '../../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import type { RemoteObject } from '../../../../src/operator/reconcile/kind/kind.ts';
import { type Ledger, ledgerIn } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { rightfulClaimant } from '../../../../src/operator/reconcile/ownership/claimants.ts';
import { createPass } from '../../../../src/operator/reconcile/pass.ts';
import { type Key, keyOf, type PassPorts } from '../../../../src/operator/reconcile/pass-ports.ts';
import { somebodyElse } from '../../../../src/operator/reconcile/plan-input.ts';
import { ManualClock } from '../../../support/clock.ts';
import { aloneWith, runOf } from '../running.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  clusterSpec,
  installation,
  ledgerOf,
  missingConnection,
  nameFor,
  type ResourceOptions,
  resourceOf,
  revisionNamed,
  usable,
  viewOf,
} from '../support.ts';

const silent = () => undefined;
const auth = { type: 'Token', secretRef: { name: 'platform-token' } };
const forbidden = { namespaceSelector: {}, allowAdopt: false, credentialsNamespace: 'data-platform', auth };
const allowed = { ...forbidden, allowAdopt: true };
const spec = { ...clusterSpec, connectionRef: { kind: sharedConnectionKind, name: 'platform' } };

interface Around {
  /** The spec of the SharedConnection; undefined: there is none. */
  readonly shared: object | undefined;
  /** The Secret that it names is there. */
  readonly hasSecret?: boolean;
  readonly rows?: readonly RemoteObject[];
  readonly templates?: readonly RemoteObject[];
}
const around: Around = { shared: forbidden };

/** What a former resource of team-a left in the service. */
const left = 'uid-of-what-team-a-had';
const orphan = clusterRow({ name: nameFor(left) });
const orphaned = claimOf({ id: orphan.id, name: orphan.name });
const ledgerOfTeamA = ledgerOf([orphaned], { uid: left });

interface Done {
  readonly resource: RawResource;
  /** What was asked of the service, and done in Kubernetes. */
  readonly calls: readonly string[];
}

/** Passes until nothing is written any more. */
async function settle(begun: RawResource, given: Partial<Around> = {}): Promise<Done> {
  const { shared, hasSecret = true, rows = [orphan], templates = [] } = { ...around, ...given };
  let resource = begun;
  const calls: string[] = [];
  const log = (call: string) => async () => {
    calls.push(call);
  };
  const written = (call: string, changed: RawResource) => {
    calls.push(call);
    resource = changed;
    return resource;
  };
  const service = {
    inventory: {
      observe: async ({ path }: { readonly path: string }) => viewOf(path === 'clusters' ? rows : templates),
      getById: log('GET'),
      age: silent,
      droppedAt: silent,
      isGone: () => false,
      restMs: () => 0,
    },
    budget: { limits: { requestsPerSecond: 500 }, take: async () => ({ signal: undefined, release: silent }) },
    remove: log('DELETE'),
  } as unknown as Service;
  const ofKind = (kind: string, changes: object) => ({ ...resourceOf(), kind, ...changes }) as RawResource;
  const readAny: Readonly<Record<string, () => RawResource | undefined>> = {
    [sharedConnectionKind]: () => shared && ofKind(sharedConnectionKind, { spec: shared }),
    Namespace: () => ofKind('Namespace', { metadata: { labels: {} } }),
  };
  const ports = {
    store: {
      read: ({ kind }: Key) => (readAny[kind] ?? (() => resource))(),
      list: () => [],
      synced: () => true,
      claim: async (one: RawResource, ledger: string) =>
        written('ledger', {
          ...one,
          metadata: { ...one.metadata, annotations: { ...one.metadata.annotations, [ledgerAnnotation]: ledger } },
        }),
      release: log('release'),
      writeStatus: async (one: RawResource, status: object) => written('status', { ...one, status }),
    },
    services: { lookup: () => (shared && hasSecret ? usable({ service }) : missingConnection) },
    clock: new ManualClock({ tickMs: 1 }),
    ...aloneWith([clusterKind]),
  } as unknown as PassPorts;
  const pass = createPass(ports);
  for (let passes = 0, before = -1; passes < 6 && calls.length > before; passes += 1) {
    before = calls.length;
    await pass(keyOf(resource), { signal: new AbortController().signal, pollMs: 1_000 });
    if (calls.includes('release') || calls.includes('DELETE')) break;
  }
  return { resource, calls };
}

const annotated = ({ metadata }: RawResource): Ledger | undefined => ledgerIn(metadata.annotations?.[ledgerAnnotation]);
const mirrorOf = ({ status }: RawResource) => ledgerIn((status as { readonly ledger?: string }).ledger);
const reasonOf = ({ status }: RawResource) =>
  (status as { conditions: readonly { type: string; reason: string; message: string }[] }).conditions.find(
    ({ type }) => type === 'Ready',
  );

/** The resource in team-b with a ledger that somebody brought there. */
const brought = (ledger: Ledger, options: ResourceOptions = {}) =>
  resourceOf({ spec, ...options, ledger, metadata: { namespace: 'team-b', uid: 'of-team-b', ...options.metadata } });
const withStatus = (status: unknown): ResourceOptions => ({ status: status as NonNullable<ResourceOptions['status']> });
const restored = (options: ResourceOptions = {}) =>
  resourceOf({ spec, ledger: ledgerOfTeamA, ...options, metadata: { uid: 'made-again', ...options.metadata } });
const deleted = ({ metadata, ...rest }: RawResource): RawResource => ({
  ...rest,
  metadata: { ...metadata, deletionTimestamp: '2026-01-01T10:02:00Z' },
});

const previousOwners = [{ uid: left, installation }];
const template = { id: 'template', name: revisionNamed('aaaaaaaa', left) };
const privately = claimOf({ role: 'private', collection: 'cluster-templates', hash: 'aaaaaaaa', ...template });
const fixed = clusterRow({ name: 'nightly', cluster_template_id: template.id });
const named = claimOf({ id: fixed.id, name: 'nightly' });

const ofFar = ledgerOf([{ ...orphaned, name: nameFor(left, 'far') }], { uid: left, installation: 'far' });
const vouching = (ledger: Ledger, value: string): ResourceOptions => ({
  metadata: { annotations: { [ledgerAnnotation]: JSON.stringify(ledger), [takeOverAnnotation]: value } },
});

describe('what was left of another namespace is neither taken over nor deleted', () => {
  test.each<readonly [string, Ledger, ResourceOptions, Partial<Around>]>([
    ['by a copy', ledgerOfTeamA, {}, {}],
    ['by a ledger that says to be its own', { ...ledgerOfTeamA, uid: 'of-team-b', previousOwners }, {}, {}],
    ['by a copy that somebody vouches for', ledgerOfTeamA, vouching(ledgerOfTeamA, installation), {}],
    [
      'by a copy from another installation that somebody vouches for',
      ofFar,
      vouching(ofFar, 'far'),
      { rows: [clusterRow({ name: nameFor(left, 'far') })] },
    ],
    [
      'by a copy, where namespaces may take what exists, but this one is not selected',
      ledgerOfTeamA,
      {},
      { shared: { ...allowed, namespaceSelector: undefined, namespaces: ['team-a'] } },
    ],
    [
      'by a copy of what has a fixed name',
      { ...ledgerOfTeamA, claims: [named, privately] },
      { spec: { ...spec, name: 'nightly' } },
      { rows: [fixed], templates: [template] },
    ],
    [
      'by a ledger of its own with the private template of that',
      { ...ledgerOfTeamA, uid: 'of-team-b', previousOwners, claims: [named, privately] },
      { spec: { ...spec, name: 'nightly' } },
      { rows: [fixed], templates: [template] },
    ],
  ])('%s', async (_how, ledger, options, given) => {
    const { resource, calls } = await settle(brought(ledger, options), given);
    expect(reasonOf(resource)).toMatchObject({ reason: 'OwnershipUnconfirmed' });
    for (const field of ['id', 'externalName', 'ledger', 'externalStatus'])
      expect(resource.status).not.toHaveProperty(field);
    expect(calls).toEqual(['status']);
    expect((await settle(deleted(resource), given)).calls).toEqual(['release']);
    expect((await settle(deleted(brought(ledger, options)), given)).calls).toEqual(['release']);
  });

  test('and the message says who can help', async () => {
    const { message } = reasonOf((await settle(brought(ledgerOfTeamA))).resource) ?? {};
    expect(message).toContain('may have been in another namespace than team-b');
    expect(message).toContain(
      'ask the administrator of the cluster to set spec.allowAdopt of SharedConnection platform',
    );
  });

  test('by a former owner that was written before the claim on its object', async () => {
    const own = claimOf({ id: 'id-2', name: nameFor('of-team-b') });
    const rows = [orphan, clusterRow({ id: 'id-2', name: own.name })];
    const claiming = (...claims: Ledger['claims']) =>
      ledgerOf(claims, { uid: 'of-team-b', previousOwners: [{ uid: left, installation }] });
    const { resource } = await settle(brought(claiming(own)), { rows });
    expect(reasonOf(resource)).toMatchObject({ reason: 'Available' });
    expect(annotated(resource)?.previousOwners).toEqual([{ uid: left, installation }]);
    const { status } = resource;
    const then = await settle(brought(claiming(own, { ...orphaned, role: 'revision' }), { ...withStatus(status) }), {
      rows,
    });
    expect(reasonOf(then.resource)).toMatchObject({ reason: 'OwnershipUnconfirmed' });
    expect(mirrorOf(then.resource)?.claims).toEqual([own]);
  });

  test('by a name that its spec states', async () => {
    const stated = { ...spec, name: orphan.name };
    const claiming = (changes: Partial<Ledger> = {}) => ledgerOf([orphaned], { uid: 'of-team-b', ...changes });
    const first = await settle(brought(claiming(), { spec: stated }), { hasSecret: false });
    const then = await settle(
      brought(claiming({ previousOwners }), { spec: stated, ...withStatus(first.resource.status) }),
    );
    expect(reasonOf(then.resource)).toMatchObject({ reason: 'OwnershipUnconfirmed' });
    expect((await settle(deleted(then.resource))).calls).toEqual(['release']);
  });
});

test('a template of another namespace proves nothing for an object of a fixed name, whose own one may still appear', async () => {
  const open = claimOf({ name: 'nightly', ...attempts(1, '2025-01-01T00:00:00Z') });
  const mirror = JSON.stringify(ledgerOf([open], { uid: 'of-team-b' }));
  const ledger = ledgerOf([open, privately], { uid: 'of-team-b', previousOwners });
  const status = { observedGeneration: 1, ledger: mirror };
  const resource = brought(ledger, { spec: { ...spec, name: 'nightly' }, status });
  const { calls } = await settle(deleted(resource), { rows: [fixed], templates: [template] });
  expect(calls, 'it is not even recorded').toEqual(['release']);
});

describe('a ledger that somebody brought to another namespace', () => {
  const store = (shared: object) => ({
    list: () => [],
    read: ({ kind, ...key }: Key) => {
      if (kind === sharedConnectionKind) return { ...resourceOf(), kind, spec: shared };
      const metadata = { ...resourceOf().metadata, labels: {} };
      return { ...resourceOf(), kind, metadata: { ...metadata, ...key } };
    },
  });
  const older = { metadata: { creationTimestamp: '2025-01-01T00:00:00Z' } };
  const forger = brought({ ...ledgerOfTeamA, uid: 'of-team-b', previousOwners }, older);
  const claimantFor = (mine: RawResource, shared: object) =>
    rightfulClaimant(
      runOf(usable(), mine, [forger, mine], {}, { store: store(shared) as unknown as PassPorts['store'] }),
    );

  test.each<readonly [string, RawResource]>([
    ['is restored', restored()],
    ['was restored just now', restored({ ledger: { ...ledgerOfTeamA, uid: 'made-again', previousOwners } })],
  ])('does not keep the object from a resource that %s', (_what, mine) => {
    expect(claimantFor(mine, forbidden)).toBeUndefined();
    expect(claimantFor(mine, allowed), 'which counts where namespaces may take what exists').toBe(somebodyElse);
  });
});

describe('what was restored', () => {
  const open = { shared: allowed };

  test('has its object again while namespaces may take what exists, and keeps it after that', async () => {
    expect(reasonOf((await settle(restored())).resource)).toMatchObject({ reason: 'OwnershipUnconfirmed' });
    const { resource, calls } = await settle(restored(), open);
    expect(calls.slice(0, 2)).toEqual(['ledger', 'status']);
    expect(reasonOf(resource)).toMatchObject({ reason: 'Available' });
    expect(annotated(resource)).toMatchObject({ uid: 'made-again', claims: [orphaned], previousOwners });
    expect(mirrorOf(resource)).toEqual(annotated(resource));
    const after = await settle(resource);
    expect([reasonOf(after.resource)?.reason, after.calls]).toEqual(['Available', []]);
    expect((await settle(deleted(resource))).calls).toContain('DELETE');
  });

  test('also what has a fixed name, and again', async () => {
    const ledger = { ...ledgerOfTeamA, claims: [named, privately] };
    const given = { ...open, rows: [fixed], templates: [template] };
    const once = await settle(restored({ ledger, spec: { ...spec, name: 'nightly' } }), given);
    const twice = restored({
      ledger: annotated(once.resource) ?? ledger,
      spec: { ...spec, name: 'nightly' },
      metadata: { uid: 'once-more' },
    });
    const { resource } = await settle(twice, given);
    expect(reasonOf(resource)).toMatchObject({ reason: 'Available' });
    expect(annotated(resource)).toMatchObject({ uid: 'once-more', previousOwners });
    const after = await settle(resource, { ...given, shared: forbidden });
    expect([reasonOf(after.resource)?.reason, after.calls]).toEqual(['Available', []]);
  });

  test('before the SharedConnection or its Secret waits for them, also to be deleted, and is not confirmed', async () => {
    for (const given of [{ shared: undefined }, { hasSecret: false }]) {
      const { resource, calls } = await settle(restored({ status: { observedGeneration: 1 } }), given);
      expect(reasonOf(resource)).toMatchObject({ reason: 'DependencyNotReady' });
      expect(resource.status).not.toHaveProperty('ledger');
      expect(calls).not.toContain('ledger');
      expect((await settle(deleted(resource), given)).calls).toEqual(['status']);
      const leaving = restored({ spec: { ...spec, deletionPolicy: 'Orphan' } });
      expect((await settle(deleted(leaving), given)).calls).toEqual(['release']);
    }
  });
});

test('where namespaces may take what exists, a ledger may come from any', async () => {
  const { resource } = await settle(brought(ledgerOfTeamA), { shared: allowed });
  expect(reasonOf(resource)).toMatchObject({ reason: 'Available' });
  const { calls } = await settle(deleted(resource));
  expect(calls, 'and stays after that').toContain('DELETE');
});
