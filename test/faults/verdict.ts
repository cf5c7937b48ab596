// Judges a run with a fault by one without: nothing is made, changed or deleted more often than the fault explains.
import type { Cell } from './cells.ts';
import { kills } from './faults.ts';
import { points } from './points.ts';
import type { Count, Counts } from './tally.ts';

const none: Count = { tried: 0, done: 0, refused: 0 };
/** A write to Kubernetes that is tried so much more often is tried in a circle: a busy machine explains a few more. */
const circle = 40;

/** What is wrong, one line each. */
export function problemsOf(cell: Cell, reference: Counts, found: Counts): readonly string[] {
  return points.flatMap((point) => {
    const [wanted, had] = [reference[point.id] ?? none, found[point.id] ?? none];
    const said = (what: string, most: number, count: number): readonly string[] =>
      count <= most ? [] : [`${point.id} was ${what} ${count} times instead of ${most} at most`];
    if (point.side === 'kubernetes') return said('tried', wanted.tried + circle, had.tried);
    const { again, more } = explained(cell, point.id);
    return [
      // What the service itself refuses is no effect: a template that is still in use is tried until it is not.
      ...said('tried', wanted.tried - wanted.refused + again, had.tried - had.refused),
      ...said('carried out', wanted.done + more, had.done),
    ];
  });
}

/** How much more often than without the fault a write may be tried, and carried out. */
function explained({ point, fault }: Cell, id: string): { readonly again: number; readonly more: number } {
  const deletes = id.startsWith('delete ');
  // The id that was deleted last is forgotten by a process that dies: deleting it once more only costs time.
  if (kills(fault)) return deletes || id === point.id ? { again: 1, more: deletes ? 1 : 0 } : { again: 0, more: 0 };
  if (id === point.id) return { again: 1, more: isIdempotent(id) ? 1 : 0 };
  // Both of two creates took effect: one of the two goes again.
  if (fault.act.act === 'work late' && id === point.id.replace('create', 'delete')) return { again: 1, more: 1 };
  return { again: 0, more: 0 };
}

const isIdempotent = (id: string): boolean => !id.startsWith('create ');
