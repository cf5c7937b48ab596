// Reading LISTs: the same as JSON.parse, in slices, no row lost to its neighbour, and only real differences reported.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Listing, ListReading } from '../../src/adapter/listing.ts';
import { Unreadable } from '../../src/adapter/reading.ts';
import { parsePiece, Splitter } from '../../src/adapter/rows.ts';
import type { Snapshot } from '../../src/adapter/view.ts';
import { viewOfList } from '../../src/adapter/view.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { routes } from '../../src/wire/routes.ts';

/** Its bytes come `size` at a time. */
function* chunksOf(text: string, size: number): Generator<Buffer> {
  const body = Buffer.from(text);
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

function parseByPieces(text: string, size = text.length * 4 + 1): unknown {
  const result: Record<string, unknown> = {};
  const rows: unknown[] = [];
  const splitter = new Splitter('rows');
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

const template = (id: string, more: object = {}) => ({ id, name: `name-${id}`, plugin_name: 'p', ...more });

interface Given {
  readonly previous?: Snapshot;
  readonly dialect?: Dialect;
  readonly more?: object;
}

async function list(
  rows: readonly unknown[],
  { previous, dialect = 'neutral', more = {} }: Given = {},
): Promise<Listing> {
  const reading = new ListReading({ route: routes.nodeGroupTemplates, dialect, previous });
  const text = JSON.stringify({ node_group_templates: rows, ...more });
  for (const chunk of chunksOf(text, 1_000)) await reading.take(chunk);
  return reading.finish({ at: 5, order: 1 });
}

describe('a listing', () => {
  test('has its rows by id and name, in neutral words', async () => {
    const { snapshot } = await list([template('1', { hadoop_version: '2.0' }), template('2')], { dialect: 'sahara' });
    const view = viewOfList(snapshot, new Map());
    expect(view.byId('1')).toEqual(template('1', { bigdata_version: '2.0' }));
    expect(view.byName('name-2')).toEqual([template('2')]);
    expect(snapshot).toMatchObject({ sent: { at: 5, order: 1 }, complete: true, unreadable: [] });
  });

  test('an unreadable row loses no other, and proves that nothing is proven', async () => {
    const rows = [template('1'), { id: '2', name: 7 }, 'nonsense', { ...template('3'), id: '' }, template('4')];
    const { snapshot } = await list(rows);
    expect([...snapshot.rows.keys()]).toEqual(['1', '4']);
    expect([...viewOfList(snapshot, new Map()).names()].map(({ id }) => id)).toEqual(['1', '4']);
    expect(snapshot.complete).toBe(false);
    expect(snapshot.unreadable.map(({ id, name }) => [id, name])).toEqual([
      ['2', undefined],
      [undefined, undefined],
      ['', 'name-3'],
    ]);
    expect(snapshot.unreadable[0]?.problem).toContain('node_group_template.name');
  });

  test('a page of a longer list is not complete', async () => {
    expect((await list([template('1')], { more: { markers: { prev: null, next: '1' } } })).snapshot.complete).toBe(
      false,
    );
    expect((await list([template('1')], { more: { markers: { prev: '0', next: null } } })).snapshot.complete).toBe(
      true,
    );
    expect((await list([], { more: { markers: null } })).snapshot.complete).toBe(true);
  });

  test('reports rows that came, went or changed, under old and new names', async () => {
    const { snapshot: previous } = await list([template('1'), template('2'), template('3'), template('4')]);
    const next = [template('1'), template('3', { name: 'renamed' }), template('4', { flavor_id: 'x' }), template('5')];
    const { changed } = await list(next, { previous });
    expect([...changed.ids].toSorted()).toEqual(['2', '3', '4', '5']);
    expect([...changed.names].toSorted()).toEqual(['name-2', 'name-3', 'name-4', 'name-5', 'renamed']);
  });

  test('another order of keys, an unknown field and null for absent are no change', async () => {
    const { snapshot: previous } = await list([{ id: '1', name: 'n', node_configs: { a: { b: 1, c: 2 } } }]);
    const again = [{ node_configs: { a: { c: 2, b: 1 } }, name: 'n', id: '1', description: null, brand_new: 1 }];
    expect((await list(again, { previous })).changed.ids.size).toBe(0);
  });

  test('rows that say the same are taken over as they are', async () => {
    const { snapshot: previous } = await list([template('1'), template('2'), template('3')]);
    const next = [template('2'), template('1', { x: 1 }), template('3', { flavor_id: 'y' })];
    const { snapshot } = await list(next, { previous });
    expect(snapshot.rows.get('2')).toBe(previous.rows.get('2'));
    expect(snapshot.rows.get('1')).toBe(previous.rows.get('1'));
    expect(snapshot.rows.get('3')).not.toBe(previous.rows.get('3'));
  });

  test('rows of one name are all found by it, an id that comes twice once', async () => {
    const same = [template('1'), template('2', { name: 'name-1' }), template('1', { flavor_id: 'y' })];
    const { snapshot } = await list([...same, { id: '4' }]);
    const view = viewOfList(snapshot, new Map([['5', template('5', { name: 'name-1' })]]));
    expect(view.byName('name-1').map(({ id }) => id)).toEqual(['1', '2', '5']);
    expect([...view.all()].map(({ id }) => id)).toEqual(['1', '2', '5']);
  });

  test('a long list gives the event loop its turns', async () => {
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const { snapshot } = await list(Array.from({ length: 5000 }, (_, index) => template(String(index))));
    running = false;
    expect(snapshot.rows.size).toBe(5000);
    expect(turns).toBeGreaterThan(100);
  });

  test('any list of rows is read as a whole read would', async () => {
    const row = fc.record({ id: fc.string({ minLength: 1 }), name: fc.string() }, { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(row, { selector: ({ id }) => id }), fc.nat(), async (rows, cut) => {
        const { snapshot: previous, changed } = await list(rows);
        expect([...viewOfList(previous, new Map()).all()]).toEqual(rows);
        expect(changed.ids).toEqual(new Set(rows.map(({ id }) => id)));
        const kept = rows.slice(0, cut % (rows.length + 1));
        const second = await list(kept, { previous });
        expect(second.changed.ids).toEqual(new Set(rows.slice(kept.length).map(({ id }) => id)));
      }),
    );
  });
});
