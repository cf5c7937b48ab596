// What a ledger may name: only what was generated for its owner, or for one that it was restored from, or what the spec states.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { Kind } from '../../../../src/operator/reconcile/kind/kind.ts';
import { isMirrored } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { namedBy, passedOn } from '../../../../src/operator/reconcile/ledger/name-origin.ts';
import { revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import {
  claimOf,
  clusterSpec,
  image,
  installation,
  ledgerOf,
  nameFor,
  resourceOf,
  templateSpec,
  uid,
} from '../support.ts';

const revisionFor = (of: string): string => revisionName({ name: 'etl', uid: of, installation }, 'aaaaaaaa');
const previousOwners = [{ uid: 'gone', installation }];

const named = (kind: Kind, spec: unknown, claim: Partial<ReturnType<typeof claimOf>>, ledger = ledgerOf()) =>
  namedBy(kind, { resource: resourceOf({ kind, spec }), installation, ledger }, claimOf(claim));

describe('a Cluster may claim', () => {
  const fixed = { ...clusterSpec, name: 'nightly' };
  test.each<
    readonly [string, unknown, Partial<ReturnType<typeof claimOf>>, ReturnType<typeof ledgerOf>, string | undefined]
  >([
    ['what was generated for it', clusterSpec, { name: nameFor(uid) }, ledgerOf(), 'uid'],
    ['nothing of another', clusterSpec, { name: nameFor('another') }, ledgerOf(), undefined],
    ['nothing of another installation', clusterSpec, { name: nameFor(uid, 'far') }, ledgerOf(), undefined],
    [
      'what it had before a restore',
      clusterSpec,
      { name: nameFor('gone') },
      ledgerOf([], { previousOwners }),
      'previous',
    ],
    [
      'what its ledger was written for',
      clusterSpec,
      { name: nameFor('gone') },
      ledgerOf([], { uid: 'gone' }),
      'previous',
    ],
    [
      'what it took over from another installation',
      clusterSpec,
      { name: nameFor('gone', 'far') },
      ledgerOf([], { previousOwners: [{ uid: 'gone', installation: 'far' }] }),
      'previous',
    ],
    ['the name that its spec fixes', fixed, { name: 'nightly' }, ledgerOf(), 'spec'],
    ['no other fixed name', fixed, { name: 'weekly' }, ledgerOf(), undefined],
    [
      'the name of a spec that cannot be read',
      { name: 'nightly', nodeGroups: 7 },
      { name: 'nightly' },
      ledgerOf(),
      'spec',
    ],
    ['no name where there is no spec', null, { name: 'nightly' }, ledgerOf(), undefined],
    ['its private template', fixed, { name: revisionFor(uid), collection: 'cluster-templates' }, ledgerOf(), 'uid'],
    [
      'no template by the fixed name',
      fixed,
      { name: 'nightly', collection: 'cluster-templates' },
      ledgerOf(),
      undefined,
    ],
    ['nothing of another collection', clusterSpec, { name: nameFor(uid), collection: 'images' }, ledgerOf(), undefined],
  ])('%s', (_name, spec, claim, ledger, expected) => {
    expect(named(clusterKind, spec, claim, ledger)).toBe(expected);
  });
});

test('a template may claim what was generated for it, and no fixed name', () => {
  const collection = 'node-group-templates';
  const spec = { ...templateSpec, name: 'workers' };
  expect(named(nodeGroupTemplateKind, spec, { collection, name: revisionFor(uid) })).toBe('uid');
  expect(named(nodeGroupTemplateKind, spec, { collection, name: 'workers' })).toBeUndefined();
});

test('an ImageRegistration may claim the image that its spec names, however it is spelt, and no other id', () => {
  const claimed = (imageID: unknown, claim: object) =>
    named(imageRegistrationKind, { imageID }, { collection: 'images', ...claim });
  expect(claimed(image, { name: image })).toBe('spec');
  expect(claimed(image.toUpperCase().replaceAll('-', ''), { name: image, id: image })).toBe('spec');
  expect(claimed(image, { name: image, id: 'another' })).toBeUndefined();
  expect(claimed(image, { name: 'another', id: 'another' })).toBeUndefined();
  expect(claimed(7, { name: image })).toBeUndefined();
});

describe('a ledger that goes to the next owner', () => {
  const next = { uid: 'next', installation };
  const of = (name: string, changes = {}) => ledgerOf([claimOf({ name })], { uid: 'gone', ...changes });

  test('remembers the one before, as long as a name derives from it', () => {
    expect(passedOn(of(nameFor('gone')), next)).toMatchObject({ ...next, previousOwners });
    expect(passedOn(of('nightly'), next).previousOwners).toBeUndefined();
    expect(passedOn(of(nameFor('next')), next)).not.toHaveProperty('previousOwners');
  });

  test('twice restored, it remembers the one that counts', () => {
    const once = passedOn(of(nameFor('gone')), { uid: 'between', installation });
    expect(passedOn(once, next).previousOwners).toEqual(previousOwners);
  });

  test('from another installation it remembers that, too', () => {
    const far = of(nameFor('gone', 'far'), { installation: 'far' });
    expect(passedOn(far, next).previousOwners).toEqual([{ uid: 'gone', installation: 'far' }]);
  });
});

test('the copy in status has a claim when it has its object, too', () => {
  const claim = claimOf({ id: 'id-1' });
  expect(isMirrored(ledgerOf([claim]), claim)).toBe(true);
  expect(isMirrored(ledgerOf([claimOf()]), claim)).toBe(false);
  expect(isMirrored(ledgerOf([claimOf({ id: 'id-2' })]), claim)).toBe(false);
  expect(isMirrored(undefined, claim)).toBe(false);
});
