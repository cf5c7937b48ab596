// How changes are handed on: one at a time as they come, and lists in slices between which the process goes on.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Delta } from '../../../src/kube/watch/watch-cache.ts';
import { Subscribers } from '../../../src/operator/kube/subscribers.ts';
import { keyOf, type ResourceChange } from '../../../src/operator/reconcile/pass-ports.ts';
import { settle } from '../../support/clock.ts';
import { widget } from './support/objects.ts';
import { type RecordingLog, recordingLog } from './support/ports.ts';

let log: RecordingLog;
let subscribers: Subscribers;
let stop: AbortController;
let heard: ResourceChange[];

beforeEach(() => {
  log = recordingLog();
  subscribers = new Subscribers(log);
  stop = new AbortController();
  heard = [];
  subscribers.add((change) => heard.push(change));
});

const nameOf = (index: number): string => `w${index}`;
const keyOfName = (name: string) => keyOf(widget({ name }));

/** The list of `count` objects that were not known before. */
function first(count: number, version = 1): readonly Delta[] {
  return Array.from({ length: count }, (_, index) => ({
    previous: undefined,
    current: widget({ name: nameOf(index), version }),
  }));
}

function update(name: string, from: number, to: number): Delta {
  return { previous: widget({ name, version: from }), current: widget({ name, version: to }) };
}

/** `name@version` of what was heard. */
const texts = (): readonly string[] =>
  heard.map(({ key, current }) => `${key.name}@${current?.metadata.resourceVersion ?? 'gone'}`);

/** How many changes each turn of the event loop brought, until `done`. */
async function countTurns(done: Promise<unknown>): Promise<readonly number[]> {
  let ended = false;
  void done.then(() => (ended = true));
  const counts: number[] = [];
  for (let before = 0; !ended; before = heard.length) {
    await settle();
    counts.push(heard.length - before);
  }
  return counts;
}

describe('a list', () => {
  it('is handed on completely, in its order', async () => {
    await expect(subscribers.publishList(first(100), true, stop.signal)).resolves.toBe(true);
    expect(texts()).toEqual(Array.from({ length: 100 }, (_, index) => `${nameOf(index)}@1`));
    expect(heard.every(({ initial }) => initial)).toBe(true);
  });

  it('takes a turn of the event loop for every few changes', async () => {
    const counts = await countTurns(subscribers.publishList(first(100), true, stop.signal));
    expect(Math.max(...counts)).toBeLessThanOrEqual(16);
    expect(heard).toHaveLength(100);
  });

  it('shares the turns with the other lists', async () => {
    const deltas = first(90);
    const lists = [0, 30, 60].map((from) => subscribers.publishList(deltas.slice(from, from + 30), false, stop.signal));
    const counts = await countTurns(Promise.all(lists));
    expect(Math.max(...counts)).toBeLessThanOrEqual(16);
    expect(heard).toHaveLength(90);
  });

  it('that is empty has been handed on', async () => {
    await expect(subscribers.publishList([], true, stop.signal)).resolves.toBe(true);
  });

  it('ends with the store, in the middle', async () => {
    subscribers.add(() => {
      if (heard.length === 20) stop.abort();
    });
    await expect(subscribers.publishList(first(100), true, stop.signal)).resolves.toBe(false);
    expect(heard).toHaveLength(20);
  });

  it('goes on after a handler that threw', async () => {
    const bug = new Error('a bug');
    subscribers.add(() => {
      throw bug;
    });
    await expect(subscribers.publishList(first(20), true, stop.signal)).resolves.toBe(true);
    expect(heard).toHaveLength(20);
    expect(log.lines.filter(({ fields }) => fields.err === bug)).toHaveLength(20);
  });
});

describe('a change of an object that waits in a list', () => {
  it('comes after what waits, and nothing comes twice', async () => {
    const handed = subscribers.publishList(first(50), true, stop.signal);
    await Promise.resolve();
    subscribers.publish([update('w49', 1, 2)]);
    await handed;
    expect(texts().filter((text) => text.startsWith('w49@'))).toEqual(['w49@1', 'w49@2']);
    expect(heard).toHaveLength(51);
  });

  it('brings both halves of a replacement before it', async () => {
    const replaced = [
      { previous: widget({ name: 'w50', uid: 'old' }), current: undefined },
      { previous: undefined, current: widget({ name: 'w50', uid: 'new', version: 5 }) },
    ];
    const handed = subscribers.publishList([...first(50), ...replaced], false, stop.signal);
    subscribers.publish([update('w50', 5, 6)]);
    await handed;
    expect(texts().filter((text) => text.startsWith('w50@'))).toEqual(['w50@gone', 'w50@5', 'w50@6']);
  });

  it('may be told elsewhere: then the list catches up first', async () => {
    const handed = subscribers.publishList(first(50), true, stop.signal);
    subscribers.catchUp(keyOfName('w49'));
    expect(texts()).toEqual(['w49@1']);
    subscribers.catchUp(keyOfName('w49'));
    await handed;
    expect(heard).toHaveLength(50);
  });
});

type Step =
  | { readonly does: 'list'; readonly names: readonly number[] }
  | { readonly does: 'change'; readonly name: number }
  | { readonly does: 'turn' };

const anyName = fc.integer({ min: 0, max: 59 });
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.uniqueArray(anyName, { maxLength: 60 }).map((names) => ({ does: 'list', names })),
  anyName.map((name) => ({ does: 'change', name })),
  fc.constant({ does: 'turn' }),
);

describe('whatever comes between', () => {
  it('every change is heard once, and those of one object in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        heard.length = 0;
        const versions = new Map<number, number>();
        const change = (name: number): Delta => {
          const before = versions.get(name) ?? 0;
          versions.set(name, before + 1);
          return update(nameOf(name), before, before + 1);
        };
        const lists: Promise<boolean>[] = [];
        for (const each of steps) {
          if (each.does === 'list') lists.push(subscribers.publishList(each.names.map(change), false, stop.signal));
          else if (each.does === 'change') subscribers.publish([change(each.name)]);
          else await settle();
        }
        await Promise.all(lists);
        for (const [name, last] of versions) {
          const own = texts().filter((text) => text.startsWith(`${nameOf(name)}@`));
          expect(own).toEqual(Array.from({ length: last }, (_, index) => `${nameOf(name)}@${index + 1}`));
        }
      }),
      { numRuns: 200 },
    );
  });
});
