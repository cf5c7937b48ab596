// Judges a run with a fault by one without: nothing is made, changed, told or deleted more often than the fault explains.
import type { Cell } from '../tables/cells.ts';
import { kills } from '../tables/faults.ts';
import { type Deed, type Point, points } from '../tables/points.ts';
import type { Count, Counts } from './tally.ts';

const none: Count = { tried: 0, done: 0, refused: 0, idle: 0 };

/** How much more often than without the fault a write may be tried, and have an effect. */
interface Explained {
  readonly again: number;
  readonly more: number;
}

/** What is wrong, one line each. `busy`: other things may keep the machine from being as quick as it was without the fault. */
export function problemsOf(cell: Cell, reference: Counts, found: Counts, busy: boolean): readonly string[] {
  return points.flatMap((point) => {
    const [wanted, had] = [reference[point.id] ?? none, found[point.id] ?? none];
    const said = (what: string, most: number, count: number): readonly string[] =>
      count <= most ? [] : [`${point.id} was ${what} ${count} times instead of ${most} at most`];
    const { again, more } = point.side === 'service' ? ofService(cell, point, wanted) : ofKubernetes(point, busy);
    return [
      // What the other side itself refuses is no effect: a template that is still in use, an object that was changed meanwhile.
      ...said('tried', wanted.tried - wanted.refused + again, had.tried - had.refused),
      ...said('carried out', wanted.done + more, had.done),
    ];
  });
}

/**
 * Finalizers go on and off once, whatever goes wrong. Another intent follows one whose answer was lost, and another record follows that;
 * trouble is told, and that it is over, of each object that it befalls; and both may come as events.
 */
const explained: Readonly<Record<Deed, Explained>> = {
  hold: { again: 2, more: 0 },
  release: { again: 2, more: 0 },
  intend: { again: 3, more: 2 },
  record: { again: 3, more: 2 },
  tell: { again: 6, more: 4 },
  event: { again: 7, more: 6 },
  // It is renewed for as long as it takes.
  lease: { again: Number.POSITIVE_INFINITY, more: Number.POSITIVE_INFINITY },
  /** Another one of the name is refused. */
  make: { again: 2, more: 0 },
  create: { again: 0, more: 0 },
  change: { again: 0, more: 0 },
  /** Of an object that is gone, or was edited meanwhile, nothing comes. */
  delete: { again: 2, more: 0 },
};

/** An intent that was written too slowly is given up, and waiting is told when it takes long: of each of a handful of objects, again and again. */
const slow = 16;

function ofKubernetes({ deed }: Point, busy: boolean): Explained {
  const { again, more } = explained[deed];
  const slack = busy ? slow : 0;
  return { again: again + slack, more: deed === 'hold' || deed === 'release' ? more : more + slack };
}

function ofService({ point, fault }: Cell, { id, deed }: Point, wanted: Count): Explained {
  // Whatever was under way goes once more; the id that was deleted last is forgotten by a process that dies, which only costs time.
  if (kills(fault)) return { again: Math.max(wanted.done, 1), more: deed === 'delete' ? wanted.done : 0 };
  // The user was told that nobody can know whether the run was started, and asked for another one: it was, in the end.
  if (id === point.id && id === 'start run' && fault.act.act === 'work late') return { again: 1, more: 1 };
  if (id === point.id) return { again: 1, more: deed === 'create' && id !== 'register image' ? 0 : 1 };
  // Both of two creates took effect: one of the two goes again.
  if (fault.act.act === 'work late' && id === point.id.replace('create', 'delete')) return { again: 1, more: 1 };
  return { again: 0, more: 0 };
}
