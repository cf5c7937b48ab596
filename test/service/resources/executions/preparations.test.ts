// How many runs are prepared at a time, and whose. Nothing here depends on the time.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mostPreparations, Preparations } from '../../../../src/service/resources/executions/preparations.ts';

const never = new AbortController().signal;

/** `begun`: the tenants of all preparations in their order. Each one ends when the test says so. */
function scene(hasRoom?: (beginning: number) => boolean) {
  const preparations = new Preparations(hasRoom);
  const begun: string[] = [];
  const ends = new Map<string, (() => void)[]>();
  const ask = (tenant: string, signal = never) =>
    preparations.run(tenant, signal, async () => {
      begun.push(tenant);
      await new Promise<void>((resolve) => ends.set(tenant, [...(ends.get(tenant) ?? []), resolve]));
    });
  const asked = (tenant: string, count: number) => {
    for (let run = 0; run < count; run += 1) void ask(tenant);
  };
  const end = async (tenant: string) => {
    ends.get(tenant)?.shift()?.();
    await setImmediate();
    await setImmediate();
  };
  const countOf = (tenant: string) => begun.filter((each) => each === tenant).length;
  return { preparations, begun, ask, asked, end, countOf };
}

test('the first ones begin without a turn of the event loop', () => {
  const { asked, begun } = scene();
  asked('a', 2);
  asked('b', 1);
  expect(begun).toEqual(['a', 'a', 'b']);
});

test('a tenant gets half of the places, and each other one as many as are then free', () => {
  const { asked, begun, countOf } = scene();
  for (const tenant of ['a', 'b', 'c', 'd', 'e']) asked(tenant, 1000);
  expect(['a', 'b', 'c', 'd', 'e'].map(countOf)).toEqual([8, 4, 2, 1, 1]);
  expect(begun).toHaveLength(mostPreparations);
});

test('the tenants that wait have their turns, whatever one of them has asked before', async () => {
  const { asked, begun, end } = scene();
  for (const tenant of ['a', 'b', 'c', 'd', 'e']) asked(tenant, 1000);
  asked('f', 2);
  asked('g', 2);
  const before = begun.length;
  for (let ended = 0; ended < 5; ended += 1) await end('a');
  expect(begun.slice(before).toSorted()).toEqual(['d', 'e', 'f', 'g']);
});

test('no turn of the event loop has more of them than there are places, even if they wait for nothing', async () => {
  const preparations = new Preparations();
  const turns: number[] = [];
  let turn = 0;
  const runs = Array.from({ length: 100 }, () => preparations.run('a', never, async () => void turns.push(turn)));
  const all = Promise.all(runs);
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  for (; !isDone; turn += 1) await setImmediate();
  const most = Math.max(...turns.map((each) => turns.filter((other) => other === each).length));
  expect([turns.length, most <= mostPreparations]).toEqual([100, true]);
});

test('what waits leaves the queue when it is given up, and what follows goes on', async () => {
  const { ask, asked, begun, end, countOf } = scene();
  asked('a', 8);
  const givenUp = new AbortController();
  const waiting = ask('a', givenUp.signal);
  asked('a', 1);
  givenUp.abort(new Error('it was deleted'));
  await expect(waiting).rejects.toThrow('it was deleted');
  expect(countOf('a')).toBe(8);
  await end('a');
  expect(begun).toHaveLength(9);
  await end('a');
  expect(begun).toHaveLength(9);
});

test('the failure of one does not keep others waiting', async () => {
  const preparations = new Preparations();
  const runs = Array.from({ length: 40 }, (_, run) =>
    preparations.run('a', never, async () => {
      if (run % 2 === 0) throw new Error('it cannot be prepared');
      return run;
    }),
  );
  const results = await Promise.allSettled(runs);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
});

test('without room for one more run, all wait until there is some', async () => {
  let room = 1;
  const { asked, begun, preparations, end } = scene((beginning) => room > begun.length + beginning);
  asked('a', 3);
  asked('b', 3);
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a']);
  room = 3;
  preparations.serve();
  await setImmediate();
  expect(begun).toEqual(['a', 'a', 'b']);
});
