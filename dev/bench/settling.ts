// When an operator that was started anew has settled: ready, everything looked at, nothing due, and silent since.
import { NotYet, waitUntil } from '../demo/waiting.ts';
import { readProbe } from './measure.ts';
import type { Restarted } from './stage.ts';

const quietMs = 2_000;
const withinMs = 10 * 60_000;

interface Passes {
  readonly ended: number;
  /** Due now or under way. */
  readonly open: number;
}

/** The moment, on the clock of performance.now(), before the silence. `resources` is how many must have been looked at. */
export async function waitForSettled({ subject, readyAt }: Restarted, resources: number): Promise<number> {
  let doneAt: number | undefined;
  const probe = async () => {
    const passes = readPasses(await (await fetch(`${subject.healthUrl}/metrics`)).text());
    const { quietMs: silentMs } = await readProbe(subject);
    const now = performance.now();
    const done = passes.ended >= resources && passes.open === 0;
    doneAt = done ? (doneAt ?? now) : undefined;
    if (doneAt !== undefined && silentMs >= quietMs) return Math.max(readyAt, doneAt, now - silentMs);
    return new NotYet(
      `${passes.ended} passes have ended, ${passes.open} are due; silent for ${Math.round(silentMs)} ms`,
    );
  };
  return waitUntil('see the operator settled', probe, { withinMs, everyMs: 50 });
}

export function readPasses(metrics: string): Passes {
  const sum = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  const open = sum('workqueue_depth') + sum('controller_runtime_active_workers');
  return { ended: sum('controller_runtime_reconcile_total'), open };
}
