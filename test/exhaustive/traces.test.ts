// Ways to states that were broken once, as the check printed them: whatever comes next on them is sound now.
import { expect, test } from 'vitest';
import { begin, type Scenario } from './check.ts';
import { type Move, movesOf } from './model/moves.ts';
import type { Rules, World } from './model/world.ts';

interface Trace {
  readonly name: string;
  readonly scenario: Scenario;
  readonly steps: readonly string[];
}

const traces: readonly Trace[] = [
  {
    name: 'a spec that was edited while its last change was closed is not Ready yet',
    scenario: { kind: 'cluster', replicas: 1, bounds: { losses: 1, edits: 2 } },
    steps: [
      'A begins a pass; it asks to write the ledger (no id, 1 open)',
      'A: claim is written; it asks to POST etl-ibzrdph7iwv3',
      'the user edits the counts',
      'A: post is answered (rows 1); it asks to write the ledger (uid1-1, 0 open)',
      'A: claim is refused with 409; it asks to read the resource anew',
      'A: the resource is read; it asks to write the ledger (uid1-1, 0 open)',
      'A: claim is written; it asks to write the status; A: status is written; the pass ends',
      'A begins a pass; A: the list arrives; it asks to write the ledger (uid1-1, 0 open; change of generation 2)',
      'A: claim is written; it asks to PUT uid1-1 {"worker":3}',
      'A: put is answered (rows 2); it asks to write the status; A: status is written; the pass ends',
      'A begins a pass; A: the list arrives; it asks to write the ledger (uid1-1, 0 open)',
      'the user edits the counts',
      'A: claim is refused with 409; it asks to read the resource anew',
      'A: the resource is read; it asks to write the ledger (uid1-1, 0 open)',
    ],
  },
  {
    name: 'a change that another replica announced meanwhile is not written over',
    scenario: { kind: 'cluster', replicas: 2, bounds: { edits: 2 } },
    steps: [
      'A begins a pass; it asks to write the ledger (no id, 1 open)',
      'A: claim is written; it asks to POST etl-ibzrdph7iwv3',
      'A: post is answered (rows 1); it asks to write the ledger (uid1-1, 0 open)',
      'A: claim is written; it asks to write the status; A: status is written; the pass ends',
      'the user edits the counts',
      'A begins a pass; it asks to write the status',
      'A: status is written; it asks to LIST',
      'A: the list arrives; it asks to write the ledger (uid1-1, 0 open; change of generation 2)',
      'A: claim is written; it asks to PUT uid1-1 {"worker":3}',
      'A: put is answered (rows 2); it asks to write the status; A: status is written; the pass ends',
      'A begins a pass; A: the list arrives; it asks to write the ledger (uid1-1, 0 open)',
      'the user edits the counts',
      'B begins a pass; it asks to write the status',
      'B: status is written; it asks to LIST',
      'B: the list arrives; it asks to write the ledger (uid1-1, 0 open; change of generation 3)',
      'B: claim is written; it asks to PUT uid1-1 {"worker":4}',
      'A: claim is refused with 409; it asks to read the resource anew',
      'A: the resource is read; the pass ends',
    ],
  },
  {
    name: 'the count of a NodeGroup that has changed since the pass began is not sent any more',
    scenario: { kind: 'cluster', replicas: 1, bounds: { setters: 3 } },
    steps: [
      'the user makes a NodeGroup',
      'A begins a pass; it asks to write the ledger (no id, 1 open)',
      'claim of the NodeGroup is written',
      'A: claim is written; it asks to write the ledger (no id, 0 open)',
    ],
  },
  {
    name: 'an edit of the Cluster that changes no count begins no new tries of a scale',
    scenario: { kind: 'cluster', replicas: 1, bounds: { setters: 2, edits: 1, crashes: 1 } },
    steps: [
      'the user makes a NodeGroup',
      'A begins a pass; it asks to write the ledger (no id, 1 open)',
      'A: claim is written; it asks to POST etl-ibzrdph7iwv3',
      'claim of the NodeGroup is written',
      'A: post is answered (rows 1); it asks to write the ledger (uid1-1, 0 open)',
      'A: claim is written; it asks to write the status; A: status is written; the pass ends',
      'A begins a pass; A: the list arrives; it asks to write the ledger (uid1-1, 0 open; change of generation 1)',
      'A: claim is written; it asks to PUT uid1-1 {"worker":5}',
      'A crashes and starts again',
      'the user scales the NodeGroup to 6',
      'A begins a pass; A: the list arrives; it asks to write the ledger (uid1-1, 0 open; change of generation 1)',
      'A: claim is written; it asks to PUT uid1-1 {"worker":6}',
      'the user edits the counts',
      'A: put is answered (rows 3); it asks to write the status; A: status is written; the pass ends',
      'the late PUT of uid1-1 takes effect',
      'A begins a pass; it asks to write the status',
      'A: status is written; it asks to LIST',
    ],
  },
];

async function follow(rules: Rules, first: World, steps: readonly string[]): Promise<readonly Move[]> {
  let moves = await movesOf(rules, first);
  for (const step of steps) {
    const taken = moves.find(({ label }) => label === step);
    if (!taken) throw new Error(`"${step}" cannot happen; what can: ${moves.map(({ label }) => label).join('; ')}`);
    expect(taken.broken).toBeUndefined();
    moves = await movesOf(rules, taken.world);
  }
  return moves;
}

test.each(traces)('$name', async ({ scenario, steps }) => {
  const { rules, first } = begin(scenario);
  const moves = await follow(rules, first, steps);
  expect(moves.map(({ broken }) => broken)).toEqual(moves.map(() => undefined));
});
