// What an entry that cannot be read may be: anything that it does not deny to be.
import { describe, expect, test } from 'vitest';
import type { UnreadableRow } from '../../../../src/operator/client/list/list-view.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { unreadableRowOf, unreadableRowText } from '../../../../src/operator/reconcile/lists/unreadable-rows.ts';
import { viewOf } from '../support.ts';

const problem = 'status: expected a string';
const stranger: UnreadableRow = { id: 'id-9', name: 'other', problem };

describe('an entry that cannot be read', () => {
  test.each<readonly [string, Partial<UnreadableRow>, boolean]>([
    ['is somebody else', {}, false],
    ['has our id', { id: 'id-1' }, true],
    ['has our name', { name: 'ours' }, true],
    ['has no id', { id: '' }, true],
    ['has no name', { name: '' }, true],
  ])('%s', (_name, row, expected) => {
    const one = { ...stranger, ...row };
    const view = viewOf([], { unreadable: [stranger, one, stranger] });
    expect(unreadableRowOf(clusterKind, view, { id: 'id-1', name: 'ours' })).toBe(expected ? one : undefined);
    expect(unreadableRowOf(clusterKind, viewOf([], { unreadable: [{ problem }] }), { name: 'ours' })).toEqual({
      problem,
    });
  });

  test.each<readonly [string, Partial<UnreadableRow>, boolean]>([
    ['is another image', {}, false],
    ['is another image without a name', { name: '' }, false],
    ['is the image', { id: 'given' }, true],
    ['may be any image', { id: '' }, true],
  ])('where the id is given: %s', (_name, row, expected) => {
    const one = { ...stranger, ...row };
    const view = viewOf([], { unreadable: [one] });
    expect(unreadableRowOf(imageRegistrationKind, view, { name: 'given' })).toBe(expected ? one : undefined);
  });

  test('is named, in one short line', () => {
    expect(unreadableRowText(stranger)).toBe(
      `the service has entries in its list that cannot be read ("other", id-9, ${problem})`,
    );
    expect(unreadableRowText({ problem })).toBe(`the service has entries in its list that cannot be read (${problem})`);
    const long = 'x\n'.repeat(1_000);
    expect(unreadableRowText({ id: long, name: long, problem: long })).toMatch(/^[\P{Cc}]{200,440}$/u);
  });
});
