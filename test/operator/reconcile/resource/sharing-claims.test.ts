// Claims on what exists, in the ledger of a resource whose SharedConnection does not let it take that: whoever writes the ledger writes the spec, too.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { sharedConnectionKind } from '../../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { serialiseLedger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { createPass } from '../../../../src/operator/reconcile/pass.ts';
import { type Key, keyOf, type PassPorts } from '../../../../src/operator/reconcile/pass-ports.ts';
import { ManualClock } from '../../../support/clock.ts';
import { aloneWith } from '../running.ts';
import {
  claimOf,
  clusterRow,
  clusterSpec,
  image,
  ledgerOf,
  missingConnection,
  type ResourceOptions,
  resourceOf,
  usable,
  viewOf,
} from '../support.ts';

const silent = () => undefined;
const spec = { ...clusterSpec, connectionRef: { kind: sharedConnectionKind, name: 'platform' } };
const theirs = clusterRow({ id: '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f', name: 'etl-of-somebody-else' });
const forged = ledgerOf([claimOf({ id: theirs.id, name: theirs.name, origin: 'adopted' })], { adopted: theirs.id });
const mirrored = { observedGeneration: 1, ledger: serialiseLedger(forged) };
const adopting = { ...spec, adopt: { id: theirs.id } };
const forbidden = { namespaceSelector: {}, allowAdopt: false };
const allowed = { namespaceSelector: {}, allowAdopt: true };

interface Done {
  readonly status: Readonly<Record<string, unknown>> | undefined;
  /** What was asked of the service, and done in Kubernetes. */
  readonly calls: readonly string[];
}

/** One pass. `shared`: the spec of the SharedConnection; undefined: there is none. */
async function passOver(options: ResourceOptions, shared: object | undefined): Promise<Done> {
  const resource = resourceOf(options);
  const calls: string[] = [];
  let status: Done['status'];
  const log = (call: string) => async () => {
    calls.push(call);
  };
  const service = {
    inventory: {
      observe: async () => {
        calls.push('LIST');
        return viewOf([theirs, { ...theirs, id: image, name: 'ubuntu' }]);
      },
      getById: log('GET'),
      age: silent,
      droppedAt: silent,
      isGone: () => false,
      restMs: () => 0,
    },
    budget: { limits: { requestsPerSecond: 500 }, take: async () => ({ signal: undefined, release: silent }) },
    remove: log('DELETE'),
    unregisterImage: log('DELETE'),
  } as unknown as Service;
  const ports = {
    store: {
      read: ({ kind }: Key): RawResource | undefined => {
        if (kind === sharedConnectionKind) return shared && { ...resourceOf(), kind, spec: shared };
        if (kind === 'Namespace') return { ...resourceOf(), kind, metadata: { ...resource.metadata, labels: {} } };
        return resource;
      },
      list: () => [],
      synced: () => true,
      claim: async () => resource,
      release: log('release'),
      writeStatus: async (_resource: RawResource, written: Readonly<Record<string, unknown>>) => {
        status = written;
        return resource;
      },
    },
    services: { lookup: () => (shared ? usable({ service }) : missingConnection) },
    clock: new ManualClock({ tickMs: 1 }),
    ...aloneWith([clusterKind, imageRegistrationKind]),
  } as unknown as PassPorts;
  await createPass(ports)(keyOf(resource), { signal: new AbortController().signal, pollMs: 1_000 });
  return { status, calls };
}

const conditions = (reason: string) => expect.arrayContaining([expect.objectContaining({ type: 'Ready', reason })]);

describe('a claim on what exists, which a namespace has written itself', () => {
  test('is not observed, not shown, and not confirmed', async () => {
    const { status, calls } = await passOver({ spec: adopting, ledger: forged }, forbidden);
    expect(status).toMatchObject({ conditions: conditions('ConnectionNotAllowed') });
    for (const field of ['id', 'externalName', 'ledger', 'state']) expect(status).not.toHaveProperty(field);
    expect(calls).toEqual([]);
  });

  test('is not confirmed before there is the SharedConnection, either', async () => {
    const { status } = await passOver({ spec: adopting, ledger: forged }, undefined);
    expect(status).toMatchObject({ conditions: conditions('DependencyNotReady') });
    expect(status).not.toHaveProperty('ledger');
  });

  test.each(['Delete', 'Orphan', undefined] as const)('is left alone on deletion with %s', async (deletionPolicy) => {
    const resource = { spec: { ...adopting, deletionPolicy }, ledger: forged, deleting: true };
    expect((await passOver(resource, forbidden)).calls).toEqual(['release']);
    expect((await passOver(resource, undefined)).calls).toEqual(['release']);
  });

  test('is the same of a registration, which the spec names', async () => {
    const claim = claimOf({ collection: 'images', name: image, id: image });
    const resource = {
      kind: imageRegistrationKind,
      spec: { connectionRef: spec.connectionRef, imageID: image, username: 'ubuntu', deletionPolicy: 'Delete' },
      ledger: ledgerOf([claim]),
    };
    const { status, calls } = await passOver(resource, forbidden);
    expect(status).toMatchObject({ conditions: conditions('ConnectionNotAllowed') });
    expect(status).not.toHaveProperty('ledger');
    expect(calls).toEqual([]);
    expect((await passOver({ ...resource, deleting: true }, forbidden)).calls).toEqual(['release']);
  });

  test('counts where adopting is allowed', async () => {
    const { status, calls } = await passOver({ spec: adopting, ledger: forged }, allowed);
    expect(status).toMatchObject({ id: theirs.id, ledger: expect.stringContaining(theirs.name) });
    expect(calls).toContain('LIST');
  });
});

describe('a claim that the operator confirmed while adopting was allowed', () => {
  test('is observed further', async () => {
    const { status, calls } = await passOver({ spec: adopting, ledger: forged, status: mirrored }, forbidden);
    expect(status).toMatchObject({
      id: theirs.id,
      ledger: mirrored.ledger,
      conditions: conditions('ConnectionNotAllowed'),
    });
    expect(calls).toEqual(['LIST']);
  });

  test('is given back on deletion, and deleted with deletionPolicy Delete', async () => {
    const resource = { spec: adopting, ledger: forged, status: mirrored, deleting: true };
    expect((await passOver(resource, forbidden)).calls).toEqual(['release']);
    const { calls } = await passOver({ ...resource, spec: { ...adopting, deletionPolicy: 'Delete' } }, forbidden);
    expect(calls).toContain('DELETE');
  });
});
