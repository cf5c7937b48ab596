// The table of reasons and kinds: each remedy is carried out, and nothing that is reported meanwhile lacks a row for its kind. The selection of the simulation
// is watched for that, too.
import { expect, test } from 'vitest';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { actorOf, cellOf, Hand } from './hand.ts';
import { cells, table } from './table.ts';

const scenes = Object.entries(table).flatMap(([reason, rows]) =>
  rows.flatMap((row) => row.kinds.map((kind) => ({ reason, kind, ...row }))),
);

test.each(scenes)('$reason of $kind: $cause', async ({ reason, kind, run, asksForToken }) => {
  const hand = new Hand(asksForToken ? { auth: true } : {});
  await run(hand, actorOf(kind));
  expect(hand.end()).toEqual([]);
  expect([...hand.reported].filter((cell) => !cells.has(cell))).toEqual([]);
  expect(hand.reported).toContain(cellOf(reason, kind));
});

test('the kinds of the table are those that there are', () => {
  const kinds = definitions.map(({ kind }) => kind as string);
  const rows = Object.values(table).flat();
  expect([...new Set(rows.flatMap((row) => row.kinds))].toSorted()).toEqual(kinds.toSorted());
});
