// Requests of one tenant leave the event loop to those of others.
import { expect, test } from 'vitest';
import { Turns } from '../../../../src/service/api/http/turns.ts';

/** Work that takes as long as it says, of a clock that only work moves. */
function room() {
  let now = 0;
  const turns = new Turns({ monotonic: () => now });
  const done: string[] = [];
  const ask = (tenant: string, ms: number): void =>
    turns.enter(tenant, () => {
      now += ms;
      done.push(tenant);
    });
  return { turns, ask, done };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('what is short is served at once', () => {
  const { ask, done } = room();
  for (let index = 0; index < 100; index += 1) ask('a', 0.01);
  expect(done).toHaveLength(100);
});

test('who asks once is served next, whatever others have asked before', async () => {
  const { ask, done } = room();
  for (let index = 0; index < 50; index += 1) ask('a', 20);
  expect(done).toEqual(['a']);
  ask('b', 1);
  ask('c', 1);
  await nextTurn();
  await nextTurn();
  await nextTurn();
  expect(done.indexOf('b')).toBeLessThanOrEqual(2);
  expect(done.indexOf('c')).toBeLessThanOrEqual(4);
  while (done.length < 52) await nextTurn();
  expect(done.slice(0, 3)).toEqual(['a', 'a', 'b']);
});

test('requests of a tenant are served in their order', async () => {
  const { turns } = room();
  const served: number[] = [];
  await Promise.all(Array.from({ length: 20 }, (_, index) => turns.run('a', () => served.push(index))));
  expect(served).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test('what work throws is rejected, and the next one is served', async () => {
  const { turns } = room();
  await expect(
    turns.run('a', () => {
      throw new Error('it broke');
    }),
  ).rejects.toThrow('it broke');
  expect(await turns.run('a', () => 'answer')).toBe('answer');
});
