// Reading LISTs: in slices, no row lost to its neighbour, and only real differences reported.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ListReading, type ListResult } from '../../../../src/operator/client/list/list-reading.ts';
import { type Moment, type Snapshot, viewOfList } from '../../../../src/operator/client/list/list-view.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import { routes } from '../../../../src/wire/routes.ts';
import { turnsDuring } from '../../../support/turns.ts';
import { chunksOf } from '../support/chunks.ts';

const template = (id: string, more: object = {}) => ({ id, name: `name-${id}`, plugin_name: 'p', ...more });

interface Given {
  readonly previous?: Snapshot;
  readonly dialect?: Dialect;
  readonly more?: object;
  readonly sent?: Moment;
}

async function list(
  rows: readonly unknown[],
  { previous, dialect = 'neutral', more = {}, sent = { at: 5, order: 1 } }: Given = {},
): Promise<ListResult> {
  const reading = new ListReading({ route: routes.nodeGroupTemplates, dialect, previous });
  const text = JSON.stringify({ node_group_templates: rows, ...more });
  for (const chunk of chunksOf(text, 1_000)) await reading.take(chunk);
  return reading.finish(sent);
}

describe('what changes all the time', () => {
  const { clusters } = routes;
  const row = (wantedNodes: number, status = 'Active') => {
    const worker = { wantedNodes, busyNodes: 1, observedAt: '2026-11-29T12:00:00Z' };
    return { id: '1', name: 'etl', status, info: { Load: { worker } } };
  };
  const listClusters = async (rows: readonly object[], previous?: Snapshot) => {
    const reading = new ListReading({ route: clusters, dialect: 'neutral', previous });
    await reading.take(Buffer.from(JSON.stringify({ clusters: rows })));
    return reading.finish({ at: 5, order: 1 });
  };
  const wantedIn = ({ snapshot }: ListResult) =>
    (viewOfList(snapshot, new Map()).byId('1') as { load?: { worker: { wantedNodes: number } } }).load?.worker
      .wantedNodes;

  test('is in the row, and is no change of it', async () => {
    const first = await listClusters([row(2)]);
    expect(wantedIn(first)).toBe(2);
    const second = await listClusters([row(3)], first.snapshot);
    expect([wantedIn(second), [...second.changed.ids]]).toEqual([3, []]);
    const { info: _, ...without } = row(3);
    const third = await listClusters([{ ...without, info: {} }], second.snapshot);
    expect([wantedIn(third), [...third.changed.ids]]).toEqual([undefined, []]);
    const last = await listClusters([row(4, 'Scaling')], third.snapshot);
    expect([wantedIn(last), [...last.changed.ids]]).toEqual([4, ['1']]);
  });
});

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

  test('of an unreadable row no more is kept than identifies it', async () => {
    const long = 'x'.repeat(2_000);
    const rows = [
      { id: '1', name: long, status: 'Active', more: long },
      { id: '2', plugin_name: { [long]: long } },
    ];
    const { snapshot } = await list(rows.map((row) => ({ ...row, volumes_per_node: [long] })));
    expect(snapshot.unreadable).toHaveLength(2);
    expect(Object.keys(snapshot.unreadable[0] ?? {}).sort()).toEqual(['id', 'problem', 'status']);
    for (const { problem } of snapshot.unreadable) expect(problem.length).toBeLessThanOrEqual(300);
  });

  test.each([
    ['rows', 50_000, (n: number) => template(String(n))],
    ['unreadable rows', 10_000, (n: number) => ({ id: String(n) })],
  ])('with more %s than anybody can have made is refused', async (_what, most, row) => {
    await list(Array.from({ length: most }, (_, n) => row(n)));
    const refused = list(Array.from({ length: most + 1 }, (_, n) => row(n)));
    await expect(refused).rejects.toThrow(/more than 50000 entries, or 10000 that cannot be read: check/);
  });

  test('of many unreadable rows some are kept, and prove nothing, and so do the others', async () => {
    const { snapshot } = await list(Array.from({ length: 1_500 }, (_, n) => ({ id: String(n) })));
    expect([snapshot.unreadable.length, snapshot.complete]).toEqual([1_001, false]);
    expect(snapshot.unreadable.at(-1)).toEqual({ problem: 'and 500 more of them' });
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
    expect(snapshot.rows.get('1')).not.toBe(previous.rows.get('1'));
    expect(snapshot.rows.get('1')?.text).toBe(previous.rows.get('1')?.text);
  });

  test('rows that say the same in other bytes are known from these the next time', async () => {
    const { snapshot: first } = await list([template('1'), template('2')]);
    const others = [template('1', { x: 1 }), template('2')];
    const { snapshot: second, changed } = await list(others, { previous: first });
    expect(changed.ids.size).toBe(0);
    const { snapshot: third } = await list(others, { previous: second });
    expect(third.rows.get('1')).toBe(second.rows.get('1'));
  });

  test('the same answer again is known from its bytes', async () => {
    const rows = [template('1'), template('2'), template('3')];
    const { snapshot: previous } = await list(rows);
    const { snapshot, changed } = await list(rows, { previous, sent: { at: 9, order: 2 } });
    expect(changed.ids.size + changed.names.size).toBe(0);
    expect(snapshot).toEqual({ ...previous, sent: { at: 9, order: 2 } });
    for (const id of ['1', '2', '3']) expect(snapshot.rows.get(id)).toBe(previous.rows.get(id));
  });

  test.each([
    ['one more at the end', ['1', '2', '3', '4'], ['4']],
    ['one less at the end', ['1', '2'], ['3']],
    ['none', [], ['1', '2', '3']],
    ['another order', ['3', '1', '2'], []],
    ['one more in the middle', ['1', 'x', '2', '3'], ['x']],
    ['one less in the middle', ['1', '3'], ['2']],
  ])('what begins like the one before is read all the same: %s', async (_, ids, expected) => {
    const { snapshot: previous } = await list(['1', '2', '3'].map((id) => template(id)));
    const { snapshot, changed } = await list(
      ids.map((id) => template(id)),
      { previous },
    );
    const fresh = await list(ids.map((id) => template(id)));
    expect([...changed.ids].toSorted()).toEqual(expected);
    expect(snapshot).toEqual(fresh.snapshot);
  });

  test('rows that could not be read are judged anew each time', async () => {
    const { snapshot: previous } = await list([template('1'), { id: '2', name: 7 }]);
    expect(previous.complete).toBe(false);
    const { snapshot } = await list([template('1')], { previous });
    expect([snapshot.complete, snapshot.unreadable]).toEqual([true, []]);
    const again = await list([template('1'), { id: '2', name: 7 }], { previous: snapshot });
    expect([again.snapshot.complete, again.snapshot.unreadable.length]).toEqual([false, 1]);
  });

  test('rows of one name are all found by it, an id that comes twice once', async () => {
    const same = [template('1'), template('2', { name: 'name-1' }), template('1', { flavor_id: 'y' })];
    const { snapshot } = await list([...same, { id: '4' }]);
    const view = viewOfList(snapshot, new Map([['5', template('5', { name: 'name-1' })]]));
    expect(view.byName('name-1').map(({ id }) => id)).toEqual(['1', '2', '5']);
    expect([...view.all()].map(({ id }) => id)).toEqual(['1', '2', '5']);
  });

  test('a row that is too large is unreadable, known by id and name, and never parsed', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const node_configs = { a: Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`k${n}`, 1])) };
    const { snapshot } = await list([template('1'), template('2', { node_configs }), template('3')]);
    expect([...snapshot.rows.keys()]).toEqual(['1', '3']);
    expect(snapshot.complete).toBe(false);
    const problem = expect.stringMatching(/too large to be read \(\d{4} KiB\); .*Shorten or delete it in the service$/);
    expect(snapshot.unreadable).toEqual([{ id: '2', name: 'name-2', problem }]);
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1_000);
  });

  test('the token is not in what is told of a row that is too large', async () => {
    const reading = new ListReading({ route: routes.nodeGroupTemplates, dialect: 'neutral', previous: undefined });
    const row = template('1', { name: 'of secret-token', description: 'x'.repeat(2_000_000) });
    await reading.sink('secret-token')(Buffer.from(JSON.stringify({ node_group_templates: [row] })));
    const { snapshot } = await reading.finish({ at: 5, order: 1 });
    expect(snapshot.unreadable).toMatchObject([{ id: '1', name: 'of ***' }]);
  });

  test('what is said under other keys counts for nothing where it is too large, but for further pages', async () => {
    const long = 'x'.repeat(2_000_000);
    const of = async (more: object) => (await list([template('1')], { more })).snapshot.complete;
    expect(await of({ junk: { id: '1', long } })).toBe(true);
    expect(await of({ markers: { next: null, long } })).toBe(false);
  });

  test('each step over a large row is a slice of its own', async () => {
    const node_configs = { a: Object.fromEntries(Array.from({ length: 7_500 }, (_, n) => [`k${n}`, 1])) };
    const { turns, answer } = await turnsDuring(() => list([template('1', { node_configs })]));
    const { snapshot } = answer;
    expect([...viewOfList(snapshot, new Map()).all()]).toEqual([template('1', { node_configs })]);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test('a long list gives the event loop its turns', async () => {
    const { turns, answer } = await turnsDuring(() =>
      list(Array.from({ length: 5000 }, (_, index) => template(String(index)))),
    );
    const { snapshot } = answer;
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
