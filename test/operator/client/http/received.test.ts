// Bytes that wait to be read: all of them, in order, and in few objects however small the pieces are that they came in.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Chunks } from '../../../../src/operator/client/json/chunks.ts';

test('what is taken is what was added', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.nat(20_000).map((length) => new Uint8Array(length).fill(length)),
  );
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 30 }), { maxLength: 4 }), (rounds) => {
      const chunks = new Chunks();
      for (const round of rounds) {
        for (const one of round) chunks.add(Buffer.from(one));
        const expected = Buffer.concat(round);
        expect(chunks.bytes).toBe(expected.length);
        expect(Buffer.concat(chunks.take()).equals(expected)).toBe(true);
        expect(chunks.bytes).toBe(0);
      }
    }),
  );
});

test('a body that comes byte by byte takes no more than one that comes at once', () => {
  const chunks = new Chunks();
  for (let n = 0; n < 1_000_000; n += 1) chunks.add(Buffer.from([n % 256]));
  expect(chunks.take().length).toBeLessThan(100);
});
