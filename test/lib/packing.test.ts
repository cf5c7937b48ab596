// What is packed comes back as it was, and takes little where it is like what came before.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Packer } from '../../src/lib/packing.ts';

/** Like a status: much that all have, and some words of its own. */
const status = (id: string, instances: number): string =>
  JSON.stringify({
    bigdataVersion: '1.2.1',
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Available', message: 'the service has what the spec asks for' },
    ],
    id,
    instances: Array.from({ length: instances }, (_, at) => ({ id: `${id}-${at}`, internalIP: `10.0.0.${at}` })),
  });

/** What they take, packed, of what they are. */
function shareOf(packer: Packer, texts: readonly string[]): number {
  const lengths = (all: readonly { readonly length: number }[]) => all.reduce((sum, { length }) => sum + length, 0);
  return lengths(texts.map((each) => packer.pack(each, '').bytes)) / lengths(texts);
}

describe('packed texts', () => {
  it('come back as they were, in whatever order they came', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.integer({ max: 99 }).map((n) => status('é', n)),
    );
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const packer = new Packer();
        const packed = texts.map((each) => packer.pack(each, ''));
        expect(packed.map((each) => each.text())).toEqual(texts.map((each) => each.toWellFormed()));
      }),
    );
  });

  it.each([
    ['none', ''],
    ['a long one', status('x', 1_000)],
    ['one of many alphabets', 'ж漢🦀'.repeat(2_000)],
  ])('can be %s', (_, text) => {
    expect(new Packer().pack(text, '').text()).toBe(text);
  });

  it('are the same when they say the same, also where another sample came between them', () => {
    const packer = new Packer();
    const [short, other] = [packer.pack(status('a', 1), ''), packer.pack(status('b', 1), '')];
    packer.pack(status('c', 20), '');
    const later = packer.pack(status('a', 1), '');
    expect([short.same(short), short.same(later), later.same(short)]).toEqual([true, true, true]);
    expect([short.same(other), other.same(later), later.same(other)]).toEqual([false, false, false]);
  });

  const little = Array.from({ length: 40 }, (_, at) => status(String(Math.cos(at)), 0));
  it.each([
    ['the first was a poor sample', ['{}']],
    ['many that said less came before', little],
    ['another sort says more', ['one more'.repeat(1_000)], 'another sort'],
  ])('take a third of what they are, also where %s', (_, before, sort = '') => {
    const packer = new Packer();
    for (const text of before) packer.pack(text, sort);
    const texts = Array.from({ length: 100 }, (_, at) => status(String(Math.sin(at)), 3));
    expect(shareOf(packer, texts)).toBeLessThan(1 / 3);
  });

  it('take a seventh where long ones came, whenever the sample was renewed', () => {
    const packer = new Packer();
    const poor = (count: number): boolean => Number.isInteger(Math.log2(count));
    for (let count = 1; count <= 64; count++)
      packer.pack(poor(count) ? status('0.12345678901234567', 0) : status(String(Math.cos(count)), 3), '');
    const texts = Array.from({ length: 50 }, (_, at) => status(String(Math.sin(at)), 3));
    expect(shareOf(packer, texts)).toBeLessThan(1 / 7);
  });
});
