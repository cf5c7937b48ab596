// Who has the better right to one object of the service: the creator before those who found it, then the older, then the smaller uid.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { type Claim, currentClaim, type Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import {
  contestOf,
  isForestalled,
  isUnjudged,
  ownerOf,
  rightfulClaimant,
} from '../../../../src/operator/reconcile/ownership/claimants.ts';
import { somebodyElse } from '../../../../src/operator/reconcile/plan-input.ts';
import { type Lookup, runOf } from '../running.ts';
import {
  attempts,
  brokenConnection,
  claimOf,
  clusterSpec,
  endpoint,
  image,
  installation,
  iso,
  ledgerOf,
  missingConnection,
  nameFor,
  type ResourceOptions,
  resourceOf,
  usable,
  viewOf,
  wall,
} from '../support.ts';

/** Who has the better right than the first of these. */
function claimant(service: Lookup, ...resources: readonly [RawResource, ...RawResource[]]) {
  return rightfulClaimant(runOf(service, resources[0], resources));
}

interface Of extends ResourceOptions {
  readonly name: string;
  readonly uid?: string;
  /** Minutes ago. */
  readonly age?: number;
  readonly claim?: Partial<ReturnType<typeof claimOf>>;
}

/** A Cluster whose object was made for a uid that is gone, and which it was restored from, unless told otherwise. */
const clusterOf = ({ name, uid = name, age = 10, claim = { id: 'id-1' }, ...rest }: Of): RawResource =>
  resourceOf({
    ledger: ledgerOf([claimOf({ name: nameFor('gone'), ...claim })], {
      uid,
      previousOwners: [{ uid: 'gone', installation }],
    }),
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
    [
      'another object',
      { name: 'b', age: 1 },
      { name: 'a', age: 2, claim: { id: 'id-2', name: nameFor('a') } },
      undefined,
    ],
    [
      'the one that has it, by the name that both were restored with',
      { name: 'b', age: 3, claim: attempts(1) },
      { name: 'a', age: 2 },
      a,
    ],
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

/** The ledger, as the operator copied it into the status. */
const confirmed = (resource: RawResource): RawResource => {
  const text = Object.values(resource.metadata.annotations ?? {})[0];
  return { ...resource, status: { ledger: text } };
};

/** Claims, in its annotation, an object of this name and id; `ledger`: what else the annotation says. */
const claiming = (name: string, claim: Partial<Claim>, ledger: Partial<Ledger> = {}, spec: object = clusterSpec) =>
  resourceOf({
    ledger: ledgerOf([claimOf({ id: 'id-1', ...claim })], { uid: name, ...ledger }),
    metadata: { name, uid: name, creationTimestamp: iso(wall - (name === 'older' ? 20 : 10) * 60_000) },
    spec,
  });
const restored = { name: nameFor('gone') };
const fromGone = { previousOwners: [{ uid: 'gone', installation }] };
const older = 'Cluster/team-a/older';

/** What the older one has to say of the object of the younger. */
function contested(mine: RawResource, other: RawResource, through: Lookup = usable()) {
  const elsewhere = { ...other, spec: { ...(other.spec as object), connectionRef: { name: 'other' } } };
  const run = runOf(usable(), mine, [mine, elsewhere], { other: through });
  const state = run.facts.ledger;
  const ledger = state.state === 'ours' ? state.ledger : undefined;
  const claim = currentClaim(ledger);
  if (!claim) throw new Error('there is no claim');
  return { contest: contestOf(run, claim), unjudged: isUnjudged(run), better: rightfulClaimant(run) };
}

describe('whose claim counts', () => {
  const mine = claiming('mine', restored, fromGone);
  const other = claiming('older', restored, fromGone);
  const wins = { by: older, wins: true };

  test.each<readonly [string, RawResource, RawResource, Lookup, object | undefined]>([
    ['of two that were restored from the same that of the older', mine, other, usable(), wins],
    ['not that of one that cannot have come by the name', mine, claiming('older', restored), usable(), undefined],
    ['not that of one whose Connection leads to another tenant', mine, other, usable({ tenant: 'x' }), undefined],
    ['not that of one whose Connection leads elsewhere', mine, other, usable({ endpoints: ['http://x'] }), undefined],
    ['that of one whose service has moved', mine, other, usable({ endpoints: ['http://x', endpoint] }), wins],
    [
      'a claim does not count if the service only ever refused its Connection',
      mine,
      other,
      usable({ refused: true }),
      undefined,
    ],
    ['nor where the identity service refused it', mine, other, { ...missingConnection, refused: true }, undefined],
    ['that of one whose Connection is missing', mine, other, missingConnection, wins],
    ['that of one whose Connection is broken', mine, other, brokenConnection, wins],
  ])('%s', (_name, one, another, through, expected) => {
    expect(contested(one, another, through)).toEqual({
      contest: expected,
      unjudged: false,
      better: expected && older,
    });
  });

  test.each([usable({ refused: true }), { ...missingConnection, refused: true }])(
    'that of one that uses the same Connection, although it was refused (%#)',
    (refused) => {
      for (const one of [mine, claiming('mine', restored, { uid: 'gone' })]) {
        expect(rightfulClaimant(runOf(refused, one, [one, other]))).toBe(older);
        const there = { ...other, metadata: { ...other.metadata, namespace: 'team-b' } };
        expect(rightfulClaimant(runOf(refused, one, [one, there]))).toBeUndefined();
      }
    },
  );

  test('nothing is judged before its Connection was looked at', () => {
    const through: Lookup = { state: 'unchecked', message: 'it is being looked at', credentials: false };
    expect(contested(mine, other, through)).toMatchObject({ unjudged: true });
    // What it cannot have come by is no reason to wait.
    expect(contested(mine, claiming('older', restored), through)).toMatchObject({ unjudged: false });
  });
});

describe('the better right', () => {
  const made = claiming('mine', { name: nameFor('mine') });
  const saying = { previousOwners: [{ uid: 'mine', installation }] };
  const nowhere = usable({ endpoints: ['http://x'], tenant: 'x' });

  test('is of the one that the name was generated for, whoever is older and whatever its status says', () => {
    const thief = confirmed(claiming('older', { name: nameFor('mine') }, saying));
    expect(contested(made, thief)).toMatchObject({ contest: undefined, better: undefined });
    const [young, old] = [
      claiming('mine', { name: nameFor('older') }, { previousOwners: [{ uid: 'older', installation }] }),
      claiming('older', { name: nameFor('older') }),
    ];
    expect(contested(confirmed(young), old).contest).toEqual({ by: older, wins: true });
    expect(contested(young, old, nowhere).contest).toEqual({ by: older, wins: true });
  });

  test('is of the one whose status has the claim, too, which nobody can write by hand', () => {
    const [mine, other] = [claiming('mine', restored, fromGone), claiming('older', restored, fromGone)];
    expect(contested(confirmed(mine), other)).toMatchObject({ contest: undefined, better: undefined });
    expect(contested(mine, confirmed(other)).contest).toEqual({ by: older, wins: true });
    expect(contested(confirmed(mine), confirmed(other)).contest).toEqual({ by: older, wins: true });
  });

  test('waits for another whose status has the claim, and for nobody else', () => {
    const young = claiming('older', restored, fromGone);
    const mine = {
      ...claiming('mine', restored, fromGone),
      metadata: { ...claiming('mine', restored, fromGone).metadata, creationTimestamp: iso(wall - 3_600_000) },
    };
    expect(contested(confirmed(mine), confirmed(young)).contest).toEqual({ by: older, wins: false });
    expect(contested(confirmed(mine), young).contest).toBeUndefined();
  });

  test('to an id that the service has under another name is that of whoever it was made for', () => {
    const [mine, other] = [claiming('mine', { name: nameFor('mine') }), claiming('older', { name: nameFor('older') })];
    const run = runOf(usable(), mine, [mine, other]);
    run.observed(clusterKind, viewOf([{ id: 'id-1', name: nameFor('older') }]));
    expect(rightfulClaimant(run)).toBe(older);
    run.observed(clusterKind, viewOf([{ id: 'id-1', name: nameFor('mine') }]));
    expect(rightfulClaimant(run)).toBeUndefined();
  });

  test('is not of the one whose own name was generated for another object, although the id is recorded beside it', () => {
    const victim = claiming('mine', restored, fromGone);
    const forged = claiming('older', { name: nameFor('older') });
    const run = runOf(usable(), victim, [victim, forged]);
    run.observed(clusterKind, viewOf([{ id: 'id-1', name: nameFor('gone') }]));
    expect(rightfulClaimant(run)).toBeUndefined();
    // Unseen, what the status confirms comes before what only an annotation says.
    expect(contested(confirmed(victim), confirmed(forged))).toMatchObject({ contest: undefined, better: undefined });
  });

  test('to a revision is not proven by the own name that has the same id beside it', () => {
    const claims = [
      claimOf({ id: 'id-1', name: nameFor('mine') }),
      claimOf({ id: 'id-1', name: nameFor('older'), role: 'revision', hash: 'aaaaaaaa' }),
    ];
    const forger = claiming('mine', {}, { claims, previousOwners: [{ uid: 'older', installation }] });
    const run = runOf(usable(), forger, [forger, claiming('older', { name: nameFor('older') })]);
    run.observed(clusterKind, viewOf([{ id: 'id-1', name: nameFor('older') }]));
    expect(claims.map((claim) => contestOf(run, claim)?.wins)).toEqual([true, true]);
  });
});

describe('who holds what a copied or restored ledger names', () => {
  const mine = claiming('mine', restored, { uid: 'gone' });
  test.each<readonly [string, RawResource, string | undefined]>([
    ['the one that it was copied from', claiming('gone', restored), 'Cluster/team-a/gone'],
    ['the one that was restored before', claiming('older', restored, fromGone), older],
    ['nobody who cannot have come by the name', claiming('older', restored), undefined],
    ['the older copy', claiming('older', restored, { uid: 'gone' }), older],
  ])('%s', (_name, other, expected) => {
    expect(rightfulClaimant(runOf(usable(), mine, [mine, other]))).toBe(expected);
  });

  const refused = usable({ refused: true });
  const original = claiming('gone', restored);
  test.each<readonly [string, RawResource, Lookup, string | undefined]>([
    ['the one that it was copied from, although its Connection is refused', original, refused, 'Cluster/team-a/gone'],
    [
      'the one that it was copied from, although its Connection leads elsewhere',
      original,
      usable({ tenant: 'x' }),
      'Cluster/team-a/gone',
    ],
    [
      'not another that was restored, where its Connection is refused',
      claiming('older', restored, fromGone),
      refused,
      undefined,
    ],
    [
      'not one that has only the id, where its Connection is refused',
      claiming('older', { name: nameFor('older') }),
      refused,
      undefined,
    ],
  ])('%s', (_name, other, through, expected) => {
    const elsewhere = { ...other, spec: { ...clusterSpec, connectionRef: { name: 'other' } } };
    expect(rightfulClaimant(runOf(usable(), mine, [mine, elsewhere], { other: through }))).toBe(expected);
  });
});

describe('the owner of what another has made', () => {
  const [mine, other] = [clusterOf({ name: 'b', claim: { id: 'id-2' } }), clusterOf({ name: 'a' })];
  const moved = { endpoint: 'http://new', endpoints: ['http://new', endpoint] };
  const spelling = { endpoint: 'http://new', endpoints: ['http://new'] };
  test.each<readonly [string, Lookup, string, string | undefined]>([
    ['is told', usable(), 'id-1', 'Cluster/team-a/a'],
    ['is told where the service has moved', usable(moved), 'id-1', 'Cluster/team-a/a'],
    ['is told where both Connections spell the address in their own way', usable(spelling), 'id-1', 'Cluster/team-a/a'],
    ['is nobody whom we know', usable(), 'id-3', undefined],
    ['is nobody whom we know at another spelling of the address', usable(spelling), 'id-3', undefined],
    ['in another tenant is not told', usable({ tenant: 'other' }), 'id-1', undefined],
    ['is not known where the Connection leads nowhere', missingConnection, 'id-1', undefined],
  ])('%s', (_name, service, id, expected) => {
    expect(ownerOf(runOf(service, mine, [mine, other]), id)).toBe(expected);
  });
});

test('an image has its id in every service: who registered it at another address owns nothing here', () => {
  const [mine, other] = [imageOf({ name: 'b' }), imageOf({ name: 'a', claim: registered })];
  const elsewhere = usable({ endpoint: 'http://new', endpoints: ['http://new'] });
  expect(ownerOf(runOf(usable(), mine, [mine, other]), image)).toBe('ImageRegistration/team-a/a');
  expect(ownerOf(runOf(elsewhere, mine, [mine, other]), image)).toBeUndefined();
});

test('the name of a resource in another namespace is not shown at another spelling of the address', () => {
  const mine = clusterOf({ name: 'b', claim: { id: 'id-2' } });
  const other = clusterOf({ name: 'a', metadata: { namespace: 'team-b', uid: 'a', name: 'a' } });
  const elsewhere = usable({ endpoint: 'http://new', endpoints: ['http://new'] });
  expect(ownerOf(runOf(elsewhere, mine, [mine, other]), 'id-1')).toBe(somebodyElse);
});

describe('the name of a resource in another namespace', () => {
  const inTeamB = { namespace: 'team-b', uid: 'a', name: 'a', creationTimestamp: iso(wall - 3_600_000) };
  const other = imageOf({ name: 'a', claim: registered, metadata: inTeamB });
  const mine = imageOf({ name: 'b' });
  const named = 'ImageRegistration/team-b/a';
  const listed = usable({ endpoint: 'http://own', endpoints: ['http://own', endpoint] });
  test.each<readonly [string, Lookup, string]>([
    ['is shown once the service has accepted the credentials', usable(), named],
    ['is not shown before', usable({ accepted: false }), somebodyElse],
    ['is not shown where the address of the service is only a former one', listed, somebodyElse],
  ])('%s', (_name, service, expected) => {
    expect(ownerOf(runOf(service, mine, [mine, other]), image)).toBe(expected);
  });

  test('is not shown as that of the better claimant either', () => {
    expect(claimant(usable(), mine, other)).toBe(named);
    expect(claimant(usable({ accepted: false }), mine, other)).toBe(somebodyElse);
  });

  test('is not shown to a copy of it without a Connection', () => {
    const original = clusterOf({ name: 'gone', metadata: { namespace: 'team-b', uid: 'gone', name: 'gone' } });
    const copy = claiming('mine', restored, { uid: 'gone' });
    expect(claimant(usable(), copy, original)).toBe('Cluster/team-b/gone');
    expect(claimant(missingConnection, copy, original)).toBe(somebodyElse);
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
