// Delta encoding: every text comes back, and what it has in common with the reference takes next to nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, referenceOf } from '../../src/lib/delta.ts';

const word = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('{"status":"True",', '172.18.0.', 'é', '漢字', '🦀'),
);
/** Texts of a few words have long and short parts in common, in any order, and repeat themselves. */
const pair = fc.array(word, { minLength: 1, maxLength: 8 }).chain((words) => {
  const text = fc.array(fc.oneof(fc.constantFrom(...words), word), { maxLength: 30 }).map((some) => some.join(''));
  return fc.tuple(text, text);
});

const roundTrip = (text: string, reference: string): string => {
  const known = referenceOf(reference);
  return decode(encode(text, known), known.bytes);
};

const numbers = (count: number): string => Array.from({ length: count }, (_, at) => Math.sin(at)).join();

describe('delta encoding', () => {
  it('brings back every text, whatever the reference', () => {
    fc.assert(
      fc.property(pair, ([text, reference]) => {
        expect(roundTrip(text, reference)).toBe(text.toWellFormed());
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['nothing', ''],
    ['less than can be copied', 'abc'],
    ['one that runs on from what it copies', 'ab'.repeat(5_000)],
    ['one that is longer than places can tell', numbers(20_000)],
    [
      'the same once more, after more than places can tell',
      `${numbers(10_000)}${'-'.repeat(70_000)}${numbers(10_000)}`,
    ],
  ])('brings back %s', (_, text) => {
    for (const reference of ['', 'abc', text, numbers(300)]) expect(roundTrip(text, reference)).toBe(text);
  });

  it('brings back what is new and what is copied, be it few or many bytes', () => {
    const counts = [0, 1, 4, 14, 15, 16, 18, 19, 20, 142, 143, 146, 147, 400];
    const known = numbers(200);
    for (const fresh of counts)
      for (const copied of counts) {
        const text = `${'-+'.repeat(fresh).slice(0, fresh)}${known.slice(900, 900 + copied)}`;
        expect(roundTrip(text.repeat(2), known)).toBe(text.repeat(2));
      }
  });

  it('takes the same for the same text, whatever came between', () => {
    const reference = referenceOf(numbers(100));
    const before = encode(numbers(90), reference);
    encode(numbers(5_000), referenceOf('another'));
    expect(encode(numbers(90), reference)).toBe(before);
  });

  it.each([
    ['the reference itself', numbers(100), 5],
    ['one with another word of the same length', numbers(100).replace('0.84', '0.48'), 12],
    ['one with a longer word', numbers(100).replace('0.84', 'something longer'), 26],
    ['one that says the same twice', numbers(100).repeat(2), 12],
    ['one that says something else twice', 'something else '.repeat(2), 20],
  ])('takes little for %s', (_, text, most) => {
    expect(encode(text, referenceOf(numbers(100))).length).toBeLessThanOrEqual(most);
  });

  it('takes hardly more than the bytes of a text that has nothing in common with anything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const text = Buffer.from(bytes).toString('latin1');
        const all = Buffer.byteLength(text);
        expect(encode(text, referenceOf('x')).length).toBeLessThanOrEqual(all + 2);
      }),
    );
  });
});
