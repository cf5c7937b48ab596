// The order of resource versions, also of those that no JavaScript number can hold.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, newerThan } from '../../../src/kube/watch/watch-cache.ts';
import { widget } from '../../operator/kube/support/objects.ts';

describe('resource versions', () => {
  it('are compared as numbers, not as text', () => {
    expect(compareVersions('9', '10')).toBeLessThan(0);
    expect(compareVersions('10', '9')).toBeGreaterThan(0);
    expect(compareVersions('10', '10')).toBe(0);
  });

  it('keep their order beyond 2^53', () => {
    expect(compareVersions('9007199254740993', '9007199254740992')).toBeGreaterThan(0);
  });

  it('are ordered as big integers are', () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(version, version, (left, right) => {
        const expected = left < right ? -1 : left > right ? 1 : 0;
        expect(Math.sign(compareVersions(`${left}`, `${right}`))).toBe(expected);
      }),
    );
  });

  it('tell which object is newer', () => {
    expect(newerThan(widget({ version: 10 }), widget({ version: 9 }))).toBe(true);
    expect(newerThan(widget({ version: 9 }), widget({ version: 9 }))).toBe(false);
    expect(newerThan(widget({ version: 9 }), widget({ version: 10 }))).toBe(false);
  });
});
