// What counts as carried out: what is other than before, however often the API server says yes.
import { expect, test } from 'vitest';
import { points } from '../tables/points.ts';
import type { Exchange } from './exchange.ts';
import { Tally } from './tally.ts';

const path = '/api/v1/namespaces/team/secrets/token';
const gone = { uid: 'u', resourceVersion: '7', deletionTimestamp: '2026-01-01T00:00:00Z' };
const cases: readonly (readonly [words: string, answers: readonly object[], done: number])[] = [
  ['two releases of what goes with them, which the API server may both allow', [gone, gone], 1],
  ['two of which one was an object with the name of the other', [gone, { ...gone, uid: 'v' }], 2],
  [
    'a release that leaves the object, and one without an effect',
    [
      { uid: 'u', resourceVersion: '8' },
      { uid: 'u', resourceVersion: '8' },
    ],
    1,
  ],
  [
    'two that each wait for others',
    [
      { ...gone, finalizers: ['b', 'c'] },
      { ...gone, resourceVersion: '9', finalizers: ['b'] },
    ],
    2,
  ],
];

test.each(cases)('%s', (_, answers, done) => {
  const point = points.find(({ id }) => id === 'release secret');
  if (point === undefined) throw new Error('cannot count releases of Secrets: they are in no table');
  const tally = new Tally();
  for (const metadata of answers) {
    const exchange = { write: { side: 'kubernetes', method: 'PATCH', path, body: {} }, point } as unknown as Exchange;
    tally.tried(exchange, point);
    tally.answered(exchange, point, { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ metadata })) });
  }
  expect(tally.of('release secret')).toEqual({ tried: answers.length, done, refused: 0, idle: answers.length - done });
});
