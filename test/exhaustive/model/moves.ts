// Everything that can happen next in a state of the world, one indivisible step each.
import { outsideMoves } from './outside.ts';
import { replicaMoves } from './replicas.ts';
import { hasSetter, setterMoves } from './setter.ts';
import { setterPassMoves } from './setter-passes.ts';
import type { Replica, Rules, World } from './world.ts';

export interface Move {
  readonly label: string;
  readonly world: World;
  /** What was broken by the step itself. */
  readonly broken?: string | undefined;
}

export async function movesOf(rules: Rules, world: World): Promise<readonly Move[]> {
  const moves: Move[] = [...outsideMoves(rules, world)];
  if (hasSetter(rules, world)) moves.push(...setterMoves(rules, world), ...(await setterPassMoves(rules, world)));
  for (const index of world.replicas.keys()) moves.push(...(await replicaMoves(rules, world, index)));
  return moves.map((move) => ({ ...move, world: tidied(rules, move.world) }));
}

/** Without what can make no difference any more. */
export function tidied({ passes }: Rules, world: World): World {
  const { left, elapsed } = world;
  const replicas = world.replicas.map((replica): Replica => {
    const { course, process, lag, current, late } = replica;
    const state = passes.at(course);
    const behind = left.stales === 0 ? 0 : lag;
    if (state.state === 'busy')
      return { course, process, lag: behind, current, ...(late === undefined ? {} : { late }) };
    return { course: passes.tidied(course, elapsed, left.reuses > 0), process, lag: behind, current: false };
  });
  const lag = Math.max(...replicas.map((replica) => replica.lag));
  const isAdoptionTold = world.isAdoptionTold && left.unstatings > 0;
  return { ...world, replicas, isAdoptionTold, versions: world.versions.slice(-lag - 1) };
}
