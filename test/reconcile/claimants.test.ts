// Who has the better right to one object of the service: the creator before those who found it, then the older, then the smaller uid.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../src/api/definition.ts';
import { clusterKind } from '../../src/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../src/kinds/image-registration/index.ts';
import { ClaimIndex } from '../../src/reconcile/claim-index.ts';
import { isForestalled, ownerOf, rightfulClaimant } from '../../src/reconcile/claimants.ts';
import { keyOf } from '../../src/reconcile/ports.ts';
import { type PassPorts, Run } from '../../src/reconcile/run.ts';
import {
  attempts,
  claimOf,
  clusterSpec,
  endpoint,
  image,
  installation,
  iso,
  ledgerOf,
  missingConnection,
  monotonic,
  type ResourceOptions,
  resourceOf,
  usable,
  wall,
} from './support.ts';

const kinds = { Cluster: clusterKind, ImageRegistration: imageRegistrationKind };
const never = () => {
  throw new Error('nothing may be asked');
};

type Lookup = ReturnType<PassPorts['services']['lookup']>;

/** Who has the better right than the first of these. */
function claimant(service: Lookup, ...resources: readonly [RawResource, ...RawResource[]]) {
  return rightfulClaimant(runOf(service, resources[0], resources));
}

/** A pass of one of these, which became known in this order. */
function runOf(service: Lookup, mine: RawResource, resources: readonly RawResource[]): Run {
  const index = new ClaimIndex(installation);
  for (const current of resources) index.changed({ key: keyOf(current), current });
  const store = { read: never, list: never, synced: never, claim: never, release: never, writeStatus: never };
  const ports: PassPorts = {
    store: { ...store, readFresh: never },
    services: { lookup: () => service },
    events: { emit: never },
    leadership: { leading: never },
    clock: { wall: () => wall, monotonic: () => monotonic, after: never },
    log: { debug: never, info: never, warn: never, error: never },
    kinds: new Map(Object.entries(kinds)),
    installation,
    quarantineMs: 0,
    claimants: (ledger) => index.claimants(ledger),
    holder: (resource, ledger) => index.holder(resource, ledger),
    seesAll: true,
    loss: async () => undefined,
  };
  const kind = kinds[mine.kind as keyof typeof kinds];
  const context = { signal: new AbortController().signal, pollMs: 1_000 };
  return new Run(ports, { kind, resource: mine, memory: { uid: mine.metadata.uid }, context });
}

interface Of extends ResourceOptions {
  readonly name: string;
  readonly uid?: string;
  /** Minutes ago. */
  readonly age?: number;
  readonly claim?: Partial<ReturnType<typeof claimOf>>;
}

const clusterOf = ({ name, uid = name, age = 10, claim = { id: 'id-1' }, ...rest }: Of): RawResource =>
  resourceOf({
    ledger: ledgerOf([claimOf({ name, ...claim })], { uid }),
    metadata: { name, uid, creationTimestamp: iso(wall - age * 60_000) },
    spec: clusterSpec,
    ...rest,
  });

const imageSpec = { imageID: image, username: 'ubuntu' };
const imageOf = ({ claim, ...rest }: Of): RawResource => {
  const { uid = rest.name } = rest;
  const claims = claim ? [claimOf({ collection: 'images', name: image, ...claim })] : undefined;
  return clusterOf({
    kind: imageRegistrationKind,
    spec: imageSpec,
    ...(claims ? { ledger: ledgerOf(claims, { uid }) } : { ledger: undefined as never }),
    ...rest,
  });
};
const registered = { id: image };
const foundThere = { id: image, origin: 'preexisting' } as const;
const adopted = { id: 'id-1', origin: 'adopted' } as const;

describe('an object with an id', () => {
  const a = 'Cluster/team-a/a';
  test.each<readonly [string, Of, Of, string | undefined]>([
    ['the older', { name: 'b', age: 1 }, { name: 'a', age: 2 }, a],
    ['the older itself', { name: 'b', age: 2 }, { name: 'a', age: 1 }, undefined],
    ['of the same age: the smaller uid', { name: 'b', uid: 'u2' }, { name: 'a', uid: 'u1' }, a],
    ['the smaller uid itself', { name: 'b', uid: 'u1' }, { name: 'a', uid: 'u2' }, undefined],
    ['the creator, although younger', { name: 'b', age: 2, claim: adopted }, { name: 'a', age: 1 }, a],
    ['the creator itself', { name: 'b', age: 1 }, { name: 'a', age: 2, claim: adopted }, undefined],
    ['of two adopters the older', { name: 'b', age: 1, claim: adopted }, { name: 'a', age: 2, claim: adopted }, a],
    [
      'of two adopters the older itself',
      { name: 'b', age: 2, claim: adopted },
      { name: 'a', age: 1, claim: adopted },
      undefined,
    ],
    ['another object', { name: 'b', age: 1 }, { name: 'a', age: 2, claim: { id: 'id-2' } }, undefined],
    ['no id of ours yet', { name: 'b', age: 1, claim: attempts(1) }, { name: 'a', age: 2 }, undefined],
  ])('%s', (_name, mine, other, expected) => {
    expect(claimant(usable(), clusterOf(mine), clusterOf(other))).toBe(expected);
  });
});

describe('an object whose id the spec names', () => {
  const a = 'ImageRegistration/team-a/a';
  test.each<readonly [string, Of, Of, string | undefined]>([
    ['has an owner before we write anything', { name: 'b', age: 1 }, { name: 'a', age: 2, claim: registered }, a],
    ['the owner made it, although younger than we', { name: 'b', age: 2 }, { name: 'a', age: 1, claim: registered }, a],
    ['who is about to make it', { name: 'b', age: 2 }, { name: 'a', age: 1, claim: attempts(1) }, a],
    ['who was refused has no right', { name: 'b', age: 2 }, { name: 'a', age: 1, claim: attempts(0) }, undefined],
    ['both about to make it: the older', withClaim('b', 1, attempts(1)), withClaim('a', 2, attempts(1)), a],
    ['the older goes on', withClaim('b', 2, attempts(1)), withClaim('a', 1, attempts(1)), undefined],
    ['the other made it while we are about to', withClaim('b', 2, attempts(1)), withClaim('a', 1, registered), a],
    ['made it, and the older is about to', withClaim('b', 1, registered), withClaim('a', 2, attempts(1)), undefined],
    ['both found it: the older', withClaim('b', 1, foundThere), withClaim('a', 2, foundThere), a],
    ['found it, and the other made it', withClaim('b', 2, foundThere), withClaim('a', 1, registered), a],
    ['made it, and the other found it', withClaim('b', 1, registered), withClaim('a', 2, foundThere), undefined],
    ['is being deleted without a claim', { name: 'b', deleting: true }, withClaim('a', 1, registered), undefined],
    [
      'is being deleted, its request still open: it belongs to the other all the same',
      { ...withClaim('b', 1, attempts(1)), deleting: true },
      withClaim('a', 2, registered),
      a,
    ],
    ['is not known where the spec is broken', { name: 'b', spec: 7 }, withClaim('a', 1, registered), undefined],
    [
      'written in another way it is the same',
      { name: 'b', spec: { ...imageSpec, imageID: image.toUpperCase() } },
      withClaim('a', 1, registered),
      a,
    ],
  ])('%s', (_name, mine, other, expected) => {
    expect(claimant(usable(), imageOf(mine), imageOf(other))).toBe(expected);
  });

  test('is nobody else’s where the Connection leads nowhere or elsewhere', () => {
    const pair = [imageOf({ name: 'b' }), imageOf(withClaim('a', 1, registered))] as const;
    expect(claimant(missingConnection, ...pair)).toBeUndefined();
    expect(claimant(usable({ tenant: 'other' }), ...pair)).toBeUndefined();
  });
});

describe('the owner of what another has made', () => {
  const [mine, other] = [clusterOf({ name: 'b', claim: { id: 'id-2' } }), clusterOf({ name: 'a' })];
  const moved = { endpoint: 'http://new', endpoints: ['http://new', endpoint] };
  test.each<readonly [string, Lookup, string, string | undefined]>([
    ['is told', usable(), 'id-1', 'Cluster/team-a/a'],
    ['is told where the service has moved', usable(moved), 'id-1', 'Cluster/team-a/a'],
    ['is nobody whom we know', usable(), 'id-3', undefined],
    ['in another tenant is not told', usable({ tenant: 'other' }), 'id-1', undefined],
    ['is not known where the Connection leads nowhere', missingConnection, 'id-1', undefined],
  ])('%s', (_name, service, id, expected) => {
    expect(ownerOf(runOf(service, mine, [mine, other]), id)).toBe(expected);
  });
});

describe('on its way to make it', () => {
  const making = attempts(1);
  test.each<readonly [string, readonly Of[], boolean]>([
    ['alone', [withClaim('b', 1, making)], false],
    ['first', [withClaim('b', 1, making), withClaim('a', 2, making)], false],
    ['second, although older', [withClaim('a', 1, making), withClaim('b', 2, making)], true],
    ['when another has made it', [withClaim('a', 1, registered), withClaim('b', 2, making)], true],
    ['when another was refused', [withClaim('a', 2, attempts(0)), withClaim('b', 1, making)], false],
    ['when another found it', [withClaim('a', 2, foundThere), withClaim('b', 1, making)], false],
    ['before its intent is written', [withClaim('a', 1, making), { name: 'b' }], true],
    ['when it has it on record', [withClaim('a', 1, making), withClaim('b', 1, registered)], false],
  ])('%s', (_name, known, expected) => {
    const resources = known.map(imageOf);
    const mine = resources.find(({ metadata }) => metadata.name === 'b') as RawResource;
    expect(isForestalled(runOf(usable(), mine, resources))).toBe(expected);
  });

  test('others of a generated name are of no concern', () => {
    const resources = [withClaim('a', 1, making), withClaim('b', 1, making)].map(clusterOf);
    expect(isForestalled(runOf(usable(), resources[1] as RawResource, resources))).toBe(false);
  });
});

function withClaim(name: string, age: number, claim: NonNullable<Of['claim']>): Of {
  return { name, age, claim };
}
