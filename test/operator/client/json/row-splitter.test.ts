// The pieces of a LIST: what JSON.parse would find, however the bytes come, and nothing that it would refuse.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Unreadable } from '../../../../src/operator/client/json/cursor.ts';
import { parsePiece } from '../../../../src/operator/client/json/members.ts';
import { type Piece, Splitter } from '../../../../src/operator/client/json/row-splitter.ts';
import { chunksOf } from '../support/chunks.ts';

function parseByPieces(text: string, size = text.length * 4 + 1): unknown {
  const result: Record<string, unknown> = {};
  const rows: unknown[] = [];
  const splitter = new Splitter({ plural: 'rows' });
  for (const chunk of [...chunksOf(text, size), undefined]) {
    for (const { row, key, bytes } of splitter.split(chunk)) {
      if (row) rows.push(parsePiece(bytes));
      else Object.defineProperty(result, key, { value: parsePiece(bytes), enumerable: true, configurable: true });
    }
  }
  return { ...result, rows };
}

const sizes = fc.integer({ min: 1, max: 40 });

describe('pieces', () => {
  test('are what JSON.parse finds', () => {
    const object = fc.record({ rows: fc.array(fc.jsonValue()), other: fc.jsonValue() });
    fc.assert(
      fc.property(
        object,
        fc.constantFrom(0, 2, '\t'),
        fc.constantFrom('', ' ', '\r\n'),
        sizes,
        (value, indent, around, size) => {
          const text = around + JSON.stringify(value, undefined, indent) + around;
          expect(parseByPieces(text)).toEqual(JSON.parse(text));
          expect(parseByPieces(text, size)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('bodies that JSON.parse refuses are refused', () => {
    const valid = JSON.stringify({ a: 'x"y\\', rows: [{ id: '1', n: [1, true, null] }, 'é\\"'], z: -1.5e3 });
    const broken = fc
      .tuple(fc.nat(valid.length - 1), fc.constantFrom('', '"', ',', '}', ']', '{', '[', ':', '\\', 'x', '0', ' '))
      .map(([at, char]) => valid.slice(0, at) + char + valid.slice(at + 1));
    fc.assert(
      fc.property(broken, sizes, (text, size) => {
        const whole = parseOrUndefined(text);
        const bySelf = byPiecesOrUndefined(text, size);
        if (whole === undefined) expect(bySelf).toBeUndefined();
        else if (Array.isArray(Reflect.get(whole as object, 'rows'))) expect(bySelf).toEqual(whole);
        else expect(bySelf).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    '',
    '[]',
    'null',
    '"<Response 183 bytes [404 NOT FOUND]>"',
    '{}',
    '{"rows":null}',
    '{"rows":{}}',
    '{"other":[]}',
  ])('without an array of rows it is no list: %s', (text) => {
    expect(() => parseByPieces(text)).toThrow(Unreadable);
  });

  test('a byte order mark is skipped', () => {
    expect(parseByPieces('\uFEFF{"rows":[1]}')).toEqual({ rows: [1] });
    expect(parseByPieces('\uFEFF{"rows":[1]}', 1)).toEqual({ rows: [1] });
  });
});

describe('a piece that is too large', () => {
  const many = `{"a":{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join()}}}`;
  const long = JSON.stringify('\\\\"x'.repeat(400_000));
  const deep = '{"":['.repeat(20_000) + ']}'.repeat(20_000);
  const row = (...members: readonly string[]): string => `{${members.join()}}`;
  const id = '"id":"1"';
  const name = '"name":"größe"';

  const piecesOf = (text: string, size: number): readonly Piece[] => {
    const splitter = new Splitter({ plural: 'rows' });
    return [...chunksOf(text, size), undefined].flatMap((chunk) => splitter.split(chunk).toArray());
  };

  test.each([
    ['of many keys', row(id, name, `"x":${many}`), { id: '1', name: 'größe' }],
    ['of one long text', row(`"x":${long}`, name, id), { id: '1', name: 'größe' }],
    ['nested deeply', row(id, `"x":${deep}`, name), { id: '1', name: 'größe' }],
    ['of many members', row(many.slice(6, -2), id, name), { id: '1', name: 'größe' }],
    ['with a key that is long', row(`${long}:1`, id), { id: '1' }],
    ['with an id inside of another member', row(`"x":{"id":"2","y":${many}}`, name), { name: 'größe' }],
    ['whose id comes twice', row('"id":"2"', id, `"x":${many}`), { id: '1' }],
    ['whose name is what is long', row(id, `"name":${long}`), { id: '1', name: null }],
    ['that is no object', long, {}],
  ])('is passed over with no more than what identifies it: %s', (_, large, identity) => {
    const text = `{"other":${many},"rows":[{"id":"0"},${large},{"id":"2"}]}`;
    for (const size of [text.length * 3, 65_536, 10_000]) {
      const found = piecesOf(text, size);
      expect(found.map(({ key, bytes }) => [key, parsePiece(bytes)])).toEqual([
        ['other', {}],
        ['rows', { id: '0' }],
        ['rows', identity],
        ['rows', { id: '2' }],
      ]);
      const sizes = [Buffer.byteLength(many), undefined, Buffer.byteLength(large), undefined];
      expect(found.map(({ tooLarge }) => tooLarge)).toEqual(sizes);
    }
  });

  test.each([many, long])('is refused where it breaks off', (large) => {
    const text = `{"rows":[{"id":"1","x":${large.slice(0, -1)}`;
    expect(() => piecesOf(text, 65_536)).toThrow(Unreadable);
  });
});

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function byPiecesOrUndefined(text: string, size: number): unknown {
  try {
    return parseByPieces(text, size);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
