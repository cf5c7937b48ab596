// Breadth first through every state of the world that can be reached: the first way to a broken one is a shortest.
import { hash } from 'node:crypto';
import { memoize } from '../../src/lib/memoize.ts';
import { brokenIn } from './invariants.ts';
import { movesOf } from './model/moves.ts';
import { keyOf, type Rules, type World } from './model/world.ts';

export interface Counterexample {
  readonly broken: string;
  readonly trace: readonly string[];
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  readonly counterexample: Counterexample | undefined;
}

export interface Exploring {
  readonly rules: Rules;
  readonly first: World;
  /** Gives up after so many states. */
  readonly limit?: number;
  readonly visit?: (world: World, number: number) => void;
}

export async function explore({
  rules,
  first,
  limit = Number.POSITIVE_INFINITY,
  visit,
}: Exploring): Promise<Exploration> {
  const known = new Set([digestOf(first)]);
  const parents: number[] = [-1];
  const labels: string[] = ['the user creates the resource'];
  // Millions of steps share few labels.
  const shared = memoize((label: string) => label);
  let frontier: readonly (readonly [number, World])[] = [[0, first]];
  let steps = 0;
  while (frontier.length > 0) {
    const next: (readonly [number, World])[] = [];
    for (const [number, world] of frontier) {
      visit?.(world, number);
      for (const { label, world: after, broken } of await movesOf(rules, world)) {
        steps += 1;
        const key = digestOf(after);
        if (known.has(key) && broken === undefined) continue;
        const wrong = broken ?? brokenIn(rules, after);
        parents.push(number);
        labels.push(shared(label));
        if (wrong !== undefined) {
          const trace = traceOf(labels.length - 1, parents, labels);
          return { states: known.size, steps, counterexample: { broken: wrong, trace } };
        }
        known.add(key);
        next.push([labels.length - 1, after]);
        if (known.size >= limit) throw new Error(`more than ${limit} states`);
      }
    }
    frontier = next;
  }
  return { states: known.size, steps, counterexample: undefined };
}

/** 128 bits, which take less memory than the key: worlds have millions of states. */
function digestOf(world: World): string {
  return hash('md5', keyOf(world), 'binary');
}

function traceOf(last: number, parents: readonly number[], labels: readonly string[]): readonly string[] {
  const trace: string[] = [];
  for (let at = last; at >= 0; at = parents[at] ?? -1) trace.unshift(labels[at] ?? '');
  return trace;
}
