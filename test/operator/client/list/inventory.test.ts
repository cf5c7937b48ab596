// The shared LIST: who may be served by which answer, and how own writes merge into it.
import { beforeEach, describe, expect, test } from 'vitest';
import { Inventory, type ObserveOptions } from '../../../../src/operator/client/list/inventory.ts';
import type { Changed } from '../../../../src/operator/client/list/list-reading.ts';
import type { View } from '../../../../src/operator/client/list/list-view.ts';
import type { NodeGroupTemplate } from '../../../../src/wire/node-group-template.ts';
import { routes } from '../../../../src/wire/routes.ts';
import { ManualClock, settle } from '../../../support/clock.ts';
import { FakeReads } from './fake-reads.ts';

const route = routes.nodeGroupTemplates;
const row = (id: string, more: object = {}) => ({ id, name: `n${id}`, ...more });

let clock: ManualClock;
let reads: FakeReads;
let inventory: Inventory;

beforeEach(() => {
  clock = new ManualClock(0);
  reads = new FakeReads();
  inventory = new Inventory(reads, clock);
});

interface Asked {
  view?: View<NodeGroupTemplate>;
  error?: Error;
}

/** Asks without waiting; what comes of it is in the result when it has come. */
function ask(wanted: Partial<ObserveOptions> = {}): Asked {
  const asked: Asked = {};
  inventory.observe(route, { notBefore: clock.monotonic(), ...wanted }).then(
    (view) => {
      asked.view = view;
    },
    (error: Error) => {
      asked.error = error;
    },
  );
  return asked;
}

async function listed(rows: readonly unknown[]): Promise<void> {
  ask();
  await settle();
  await reads.lists.at(-1)?.answer(rows);
}

describe('who is served by what', () => {
  test('one LIST serves all who ask before it is sent, and those who asked for older', async () => {
    const first = ask();
    await clock.advance(10);
    const second = ask();
    await settle();
    expect(reads.lists).toHaveLength(1);
    reads.lists[0]?.send();
    await clock.advance(5);
    const third = ask({ notBefore: 10 });
    await settle();
    await reads.lists[0]?.answer([row('1')]);
    expect(reads.lists).toHaveLength(1);
    for (const asked of [first, second, third]) {
      expect(asked.view).toMatchObject({ listSentAt: 10, complete: true });
      expect(asked.view?.byId('1')?.name).toBe('n1');
    }
  });

  test('a LIST that was sent too early is waited for, and then another one is sent, once', async () => {
    const early = ask();
    await settle();
    reads.lists[0]?.send();
    await clock.advance(10);
    const late = [ask(), ask()];
    await settle();
    expect(reads.lists).toHaveLength(1);
    await reads.lists[0]?.answer([]);
    expect(early.view?.listSentAt).toBe(0);
    expect(late.map(({ view }) => view)).toEqual([undefined, undefined]);
    expect(reads.lists).toHaveLength(2);
    await reads.lists[1]?.answer([row('1')]);
    expect(late.map(({ view }) => view?.listSentAt)).toEqual([10, 10]);
    expect(reads.lists).toHaveLength(2);
  });

  test('the failure of a LIST that was too early is not ours', async () => {
    const early = ask();
    await settle();
    reads.lists[0]?.send();
    await clock.advance(10);
    const late = ask();
    await settle();
    await reads.lists[0]?.fail(new Error('broken'));
    expect(early.error?.message).toBe('broken');
    await reads.lists[1]?.answer([]);
    expect(late.view?.listSentAt).toBe(10);
  });

  test('an answer that is there serves without a request', async () => {
    await clock.advance(10);
    await listed([row('1')]);
    await clock.advance(10);
    const asked = ask({ notBefore: 10 });
    await settle();
    expect(asked.view?.byName('n1')).toEqual([row('1')]);
    expect(reads.lists).toHaveLength(1);
    expect(inventory.age(route)).toBe(10);
  });

  test('a failed LIST fails all who wait for it, and keeps the snapshot', async () => {
    await listed([row('1')]);
    await clock.advance(10);
    const asked = [ask(), ask()];
    await settle();
    await reads.lists[1]?.fail(new Error('down'));
    expect(asked.map(({ error }) => error?.message)).toEqual(['down', 'down']);
    expect(inventory.peek(route)?.byId('1')).toBeDefined();
    expect(inventory.age(route)).toBe(10);
    const again = ask();
    await settle();
    await reads.lists[2]?.answer([]);
    expect(again.view?.byId('1')).toBeUndefined();
  });

  test('giving up leaves the LIST to the others', async () => {
    const abort = new AbortController();
    const leaving = ask({ signal: abort.signal });
    const staying = ask();
    await settle();
    abort.abort();
    await settle();
    expect(leaving.error).toMatchObject({ category: 'unreachable', certainty: 'definite' });
    const tooLate = ask({ signal: abort.signal });
    await settle();
    expect(tooLate.error).toBeDefined();
    await reads.lists[0]?.answer([]);
    expect(staying.view).toBeDefined();
  });

  test('a failure for which nobody waits any more troubles nobody', async () => {
    const abort = new AbortController();
    ask({ signal: abort.signal });
    await settle();
    abort.abort();
    await settle();
    await reads.lists[0]?.fail(new Error('unheard'));
    expect(reads.lists).toHaveLength(1);
  });

  test('a time to come is a mistake of the caller', async () => {
    const asked = ask({ notBefore: 1 });
    await settle();
    expect(asked.error).toBeInstanceOf(RangeError);
  });

  test('before the first LIST, what was written is known', async () => {
    inventory.noteWritten(route, row('1'));
    expect(inventory.peek(route)).toBeUndefined();
    expect(inventory.known(route).byId('1')).toEqual(row('1'));
    expect(inventory.known(route)).toMatchObject({ complete: false });
    await listed([row('2')]);
    expect(inventory.known(route).byId('2')).toEqual(row('2'));
    expect(inventory.known(route)).toMatchObject({ complete: true });
  });

  test('routes are apart', async () => {
    await listed([row('1')]);
    expect(inventory.peek(routes.clusters)).toBeUndefined();
    expect(inventory.age(routes.clusters)).toBeUndefined();
  });
});

describe('own writes', () => {
  test('in the same millisecond only what was sent after the write counts', async () => {
    const before = ask();
    await settle();
    reads.lists[0]?.send();
    inventory.noteWritten(route, row('1'));
    const after = ask();
    await settle();
    await reads.lists[0]?.answer([]);
    expect(after.view).toBeUndefined();
    expect(reads.lists).toHaveLength(2);
    await reads.lists[1]?.answer([row('1')]);
    expect(after.view?.listSentAt).toBe(0);
    expect(before.view ?? before.error).toBeDefined();
  });

  test('a write that ended badly makes what was sent before too old, too', async () => {
    const early = ask();
    await settle();
    reads.lists[0]?.send();
    inventory.ended();
    const late = ask();
    await settle();
    await reads.lists[0]?.answer([]);
    await reads.lists[1]?.answer([row('1')]);
    expect(late.view?.byId('1')).toBeDefined();
    expect(early.view).toBeDefined();
  });

  test('a row of a write stays over a LIST that was sent before its answer, changed or missing', async () => {
    await listed([row('1'), row('2')]);
    await clock.advance(10);
    ask();
    await settle();
    reads.lists[1]?.send();
    await clock.advance(1);
    inventory.noteWritten(route, row('1', { description: 'scaled' }));
    inventory.noteWritten(route, row('3'));
    await reads.lists[1]?.answer([row('1'), row('2')]);
    const view = inventory.peek(route);
    expect(view?.byId('1')?.description).toBe('scaled');
    expect(view?.byName('n1').map(({ description }) => description)).toEqual(['scaled']);
    expect(view?.byName('n3')).toHaveLength(1);
    expect([...(view?.all() ?? [])].map(({ id }) => id).toSorted()).toEqual(['1', '2', '3']);
    expect(view?.listSentAt).toBe(10);
  });

  test('a LIST that was sent after it replaces it, and takes it away', async () => {
    await listed([]);
    inventory.noteWritten(route, row('1', { description: 'mine' }));
    inventory.noteWritten(route, row('2'));
    await clock.advance(1);
    await listed([row('1')]);
    expect(inventory.peek(route)?.byId('1')?.description).toBeUndefined();
    expect(inventory.peek(route)?.byId('2')).toBeUndefined();
  });

  test('are never observations: who asks later gets a new read', async () => {
    await listed([]);
    await clock.advance(5);
    inventory.noteWritten(route, row('1'));
    const asked = ask();
    await settle();
    expect(asked.view).toBeUndefined();
    expect(inventory.peek(route)?.listSentAt).toBe(0);
    await reads.lists[1]?.answer([row('1')]);
    expect(asked.view?.listSentAt).toBe(5);
  });

  test('LISTs are sent once a second, after a quiet while two at once', async () => {
    await clock.advance(10_000);
    const sentAt: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      ask();
      await settle();
      while (reads.lists.length === n) await clock.advance(1);
      sentAt.push(clock.monotonic());
      await reads.lists.at(-1)?.answer([]);
      await clock.advance(1);
    }
    expect(sentAt).toEqual([10_000, 10_001, 11_000, 12_000, 13_000]);
  });

  test('a LIST that took long is followed by a rest, which those who come meanwhile share; no rest is longer than a second', async () => {
    for (const [tookMs, restMs] of [
      [24, 0],
      [50, 200],
      [9_000, 1_000],
    ] as const) {
      ask({ notBefore: clock.monotonic() });
      await settle();
      const sent = reads.lists.length;
      reads.lists.at(-1)?.send();
      await clock.advance(tookMs);
      await reads.lists.at(-1)?.answer([row('1')]);
      const [one, other] = [ask({}), ask({})];
      await settle();
      if (restMs > 0) {
        await clock.advance(restMs - 1);
        expect(reads.lists).toHaveLength(sent);
        await clock.advance(1);
      }
      expect(reads.lists).toHaveLength(sent + 1);
      await reads.lists.at(-1)?.answer([row('1')]);
      expect([one.view?.listSentAt, other.view?.listSentAt]).toEqual([clock.monotonic(), clock.monotonic()]);
      await clock.advance(2_000);
    }
  });

  test('a deleted row that no LIST has shown yet is forgotten; one that a LIST has shown stays until a LIST lacks it', async () => {
    await listed([row('1')]);
    inventory.noteWritten(route, row('2'));
    inventory.forget(route, '1');
    inventory.forget(route, '2');
    expect(inventory.peek(route)?.byId('1')).toBeDefined();
    expect(inventory.peek(route)?.byId('2')).toBeUndefined();
  });

  test('a view does not change afterwards', async () => {
    await listed([row('1')]);
    const view = inventory.peek(route);
    inventory.noteWritten(route, row('2'));
    await clock.advance(1);
    await listed([]);
    expect([...(view?.all() ?? [])]).toEqual([row('1')]);
  });
});

describe('sighting', () => {
  test('always sends a GET of its own', async () => {
    await listed([row('1')]);
    const sighted = [inventory.getById(route, '1'), inventory.getById(route, '1')];
    await reads.gets[0]?.answer(undefined);
    await reads.gets[1]?.answer(row('1'));
    expect(await Promise.all(sighted)).toEqual([
      { sentAt: 0, row: undefined },
      { sentAt: 0, row: row('1') },
    ]);
  });

  test('a 404 forgets an own write that came before it', async () => {
    await listed([]);
    inventory.noteWritten(route, row('1'));
    void inventory.getById(route, '1');
    await reads.gets[0]?.answer(undefined);
    expect(inventory.peek(route)?.byId('1')).toBeUndefined();
  });
});

describe('changes', () => {
  let heard: { path: string; ids: readonly string[]; names: readonly string[] }[];
  beforeEach(() => {
    heard = [];
    inventory.onChange(({ path }, { ids, names }: Changed) => {
      heard.push({ path, ids: [...ids].toSorted(), names: [...names].toSorted() });
    });
  });

  test('are told after each LIST that differs from the one before', async () => {
    await listed([row('1'), row('2')]);
    await clock.advance(1);
    await listed([row('1'), row('2')]);
    await clock.advance(2_000);
    await listed([row('2', { name: 'other' }), row('3')]);
    expect(heard).toEqual([
      { path: 'node-group-templates', ids: ['1', '2'], names: ['n1', 'n2'] },
      { path: 'node-group-templates', ids: ['1', '2', '3'], names: ['n1', 'n2', 'n3', 'other'] },
    ]);
  });

  test('a listener finds the new snapshot', async () => {
    let seen: string | undefined;
    inventory.onChange(() => {
      seen = inventory.peek(route)?.byId('1')?.name;
    });
    await listed([row('1')]);
    expect(seen).toBe('n1');
  });

  test('what an own write showed is told when a LIST shows it: others may wait for it', async () => {
    await listed([]);
    inventory.noteWritten(route, row('1'));
    expect(heard).toEqual([]);
    await clock.advance(1);
    await listed([row('1')]);
    expect(heard.map(({ ids }) => ids)).toEqual([['1']]);
  });
});

describe('what is known to be gone', () => {
  const get = async (found?: object): Promise<void> => {
    const answer = inventory.getById(route, '1');
    await settle();
    await reads.gets.at(-1)?.answer(found as never);
    await answer;
  };

  test('takes a 404 and a LIST begun later, and ends when a LIST has it again', async () => {
    await listed([]);
    expect(inventory.isGone(route, '1')).toBe(false);
    await clock.advance(2_000);
    await get();
    expect(inventory.isGone(route, '1')).toBe(false);
    await clock.advance(2_000);
    await listed([]);
    expect(inventory.isGone(route, '1')).toBe(true);
    expect(inventory.isGone(route, '2')).toBe(false);
    await clock.advance(2_000);
    await listed([row('1')]);
    expect(inventory.isGone(route, '1')).toBe(false);
    await clock.advance(2_000);
    await listed([]);
    expect(inventory.isGone(route, '1')).toBe(false);
  });

  test('ends with a GET that shows it, and when a write of ours is answered with it', async () => {
    for (const back of [() => get(row('1')), async () => inventory.noteWritten(route, row('1') as never)]) {
      await get();
      await clock.advance(2_000);
      await listed([]);
      expect(inventory.isGone(route, '1')).toBe(true);
      await back();
      await clock.advance(2_000);
      await listed([]);
      expect(inventory.isGone(route, '1')).toBe(false);
    }
  });
});

describe('when an object left the LISTs', () => {
  const at = (id = '1') => inventory.droppedAt(route, id);
  const later = async (rows: readonly unknown[]): Promise<number> => {
    await clock.advance(2_000);
    const sent = clock.monotonic();
    await listed(rows);
    return sent;
  };

  test('is the first that lacks it, until one has it again', async () => {
    await later([row('1'), row('2')]);
    expect(at()).toBeUndefined();
    const first = await later([row('2')]);
    await later([row('2')]);
    expect([at(), at('2')]).toEqual([first, undefined]);
    await later([row('1'), row('2')]);
    expect(at()).toBeUndefined();
    expect(await later([row('2')])).toBe(at());
  });

  test('is unknown where it may be among rows that cannot be read, or was in no LIST', async () => {
    await later([row('1')]);
    await later([{ id: '1', name: 7 }]);
    await later([]);
    inventory.noteWritten(route, row('3') as never);
    await later([]);
    expect([at(), at('3')]).toEqual([undefined, undefined]);
  });

  test('is forgotten with a GET or an answer to a write of ours that shows it', async () => {
    const get = async () => {
      const asked = inventory.getById(route, '1');
      await settle();
      await reads.gets.at(-1)?.answer(row('1') as never);
      await asked;
    };
    for (const back of [get, async () => inventory.noteWritten(route, row('1') as never)]) {
      await later([row('1')]);
      await later([]);
      expect(at()).toBeDefined();
      await back();
      expect(at()).toBeUndefined();
    }
  });
});

test('tells how long a LIST would wait, and sends it then', async () => {
  expect(inventory.restMs(route)).toBeLessThanOrEqual(0);
  for (let n = 0; n < 2; n += 1) {
    await clock.advance(1);
    await listed([]);
  }
  const restMs = inventory.restMs(route);
  expect(restMs).toBeGreaterThan(900);
  await clock.advance(1);
  ask();
  await clock.advance(restMs - 2);
  expect(reads.lists).toHaveLength(2);
  await clock.advance(1);
  expect(reads.lists).toHaveLength(3);
});
