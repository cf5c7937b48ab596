// Lines out of arbitrary pieces of bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLines } from '../../../src/kube/http/transport.ts';

async function* pieces(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of parseLines(chunks)) values.push(value);
  return values;
}

describe('lines', () => {
  it('are parsed one by one', async () => {
    expect(await read(pieces('{"a":1}\n{"b":2}\n'))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('may come in pieces', async () => {
    expect(await read(pieces('{"a', '":', '1}', '\n{"b":2}\n'))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('may be empty', async () => {
    expect(await read(pieces('\n\n{"a":1}\n\n'))).toEqual([{ a: 1 }]);
  });

  it('are handed out before the stream ends', async () => {
    const never = new Promise<Uint8Array>(() => undefined);
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1\n');
      yield await never;
    }
    const first = await parseLines(endless()).next();
    expect(first).toEqual({ done: false, value: 1 });
  });

  it('must be complete', async () => {
    await expect(read(pieces('{"a":1}\n{"b"'))).rejects.toMatchObject({
      category: 'unreachable',
      message: 'cannot read a stream: it ended in the middle of a line',
    });
  });

  it('must be JSON, and are never quoted', async () => {
    const outcome = read(pieces('{"data":"c2VjcmV0"\n'));
    await expect(outcome).rejects.toMatchObject({
      category: 'unreachable',
      message: expect.not.stringContaining('c2Vj'),
    });
    await outcome.catch((error: Error) => expect(error.cause).toBeUndefined());
  });

  it('come out the same, however the bytes are cut', async () => {
    const values = fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }), number: fc.integer() }));
    await fc.assert(
      fc.asyncProperty(values, fc.array(fc.nat()), async (items, cuts) => {
        const bytes = Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(await read(pieces(...chunks))).toEqual(items);
      }),
    );
  });
});
