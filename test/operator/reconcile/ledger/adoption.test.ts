// Which existing object a spec means, and which claims on one can be right.
import { describe, expect, test } from 'vitest';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { adoptedTarget, isAdopted, observedClaim } from '../../../../src/operator/reconcile/ledger/adoption.ts';
import { claimOf, ledgerOf, resourceOf } from '../support.ts';

const row = { id: 'id-1', name: 'etl-blue-1', plugin_name: 'spark', bigdata_version: '4.1.3' };
const isMet = (adopt: unknown): boolean | undefined => adoptedTarget({ spec: { adopt } })?.isMet(row);

describe('spec.adopt', () => {
  test.each([
    ['id', { id: 'id-1' }, true],
    ['another id', { id: 'id-2' }, false],
    ['name', { name: 'etl-blue-1' }, true],
    ['a pattern as a name', { name: 'etl-*' }, false],
    ['pattern', { match: { name: 'etl-*' } }, true],
    ['pattern with both ends', { match: { name: 'etl-*-1' } }, true],
    ['pattern whose ends overlap', { match: { name: 'etl-blue-*blue-1' } }, false],
    ['pattern with several parts', { match: { name: '*t*-b*e*1' } }, true],
    ['pattern with its parts in another order', { match: { name: '*blue*etl*' } }, false],
    ['pattern without an asterisk', { match: { name: 'etl' } }, false],
    ['plugin and version', { match: { pluginName: 'spark', bigdataVersion: '4.1.3' } }, true],
    ['another version', { match: { pluginName: 'spark', bigdataVersion: '4.0.5' } }, false],
    ['a field that the list does not have', { match: { type: 'hdfs' } }, false],
    ['nothing', undefined, undefined],
    ['something else', 'etl', undefined],
  ])('with %s', (_what, adopt, expected) => {
    expect(isMet(adopt)).toBe(expected);
  });

  test.each(['2B97BA2C-4E0F-4F5D-9C1A-0A1B2C3D4E5F', '2b97ba2c4e0f4f5d9c1a0a1b2c3d4e5f'])(
    'means the object of the id %s, which the service spells otherwise',
    (id) => {
      const uuid = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
      const target = adoptedTarget({ spec: { adopt: { id } } });
      expect(target?.isMet({ ...row, id: uuid })).toBe(true);
      expect(target).toMatchObject({ given: { id: uuid }, text: `id ${uuid}` });
      expect(target?.isMet({ ...row, id: uuid.replace('5f', '60') })).toBe(false);
    },
  );

  test('takes no longer for a pattern of many parts', () => {
    const target = adoptedTarget({ spec: { adopt: { match: { name: `${'*a'.repeat(120)}b` } } } });
    expect(target?.isMet({ id: 'x', name: 'a'.repeat(200_000) })).toBe(false);
  });
});

describe('a claim on an adopted object', () => {
  const claim = claimOf({ collection: 'node-group-templates', name: 'etl-blue-1', id: 'id-1', origin: 'adopted' });
  const at = (spec: object, status?: object) => ({
    ...resourceOf({ kind: nodeGroupTemplateKind, spec }),
    ...(status && { status }),
  });
  const mirror = { ledger: JSON.stringify(ledgerOf([claim])) };

  test.each([
    ['is right where the spec gives the id', at({ adopt: { id: 'id-1' } }), true],
    ['is right where the spec gives the name', at({ adopt: { name: 'etl-blue-1' } }), true],
    ['is right where the name is like the pattern', at({ adopt: { match: { name: 'etl-*' } } }), true],
    ['is wrong where the name is not', at({ adopt: { match: { name: 'web-*' } } }), false],
    ['is wrong for another id', at({ adopt: { id: 'id-2' } }), false],
    ['is wrong without a word in the spec', at({}), false],
    ['is right where the status has it', at({}, mirror), true],
    ['is wrong where the status has something else', at({}, { ledger: JSON.stringify(ledgerOf([])) }), false],
  ])('%s', (_what, resource, expected) => {
    expect(isAdopted(resource, claim)).toBe(expected);
  });

  test('has to say that it is one', () => {
    const { origin: _none, ...made } = claim;
    expect(isAdopted(at({ adopt: { id: 'id-1' } }), made)).toBe(false);
  });
});

test('what a resource stands for without a ledger is what its status says, where it is to have an existing object', () => {
  const status = { id: 'id-1', externalName: 'etl', revision: 'abc' };
  expect(observedClaim({ spec: { policy: 'Observe' }, status })).toMatchObject({
    id: 'id-1',
    name: 'etl',
    hash: 'abc',
  });
  expect(observedClaim({ spec: { adopt: { id: 'id-1' } }, status })).toMatchObject({ id: 'id-1' });
  expect(observedClaim({ spec: {}, status })).toBeUndefined();
  expect(observedClaim({ spec: { policy: 'Observe' }, status: {} })).toBeUndefined();
});
