// Waits until a restarted operator is idle: ready, everything observed, nothing due, and no more requests.
import { prefix } from '../../src/operator/metrics/registry.ts';
import { NotYet, waitUntil } from '../demo/waiting.ts';
import { readProbe } from './measure.ts';
import type { Restarted } from './stage.ts';

const quietMs = 2_000;
const withinMs = 10 * 60_000;

interface Passes {
  /** Of Clusters and templates. */
  readonly settled: number;
  /** Due now or under way. */
  readonly open: number;
}

/** The moment, on the clock of performance.now(), before the silence. `resources` is how many must have settled. */
export async function waitForSettled({ subject, readyAt }: Restarted, resources: number): Promise<number> {
  let doneAt: number | undefined;
  const probe = async () => {
    const { settled, open } = readPasses(await (await fetch(`${subject.healthUrl}/metrics`)).text());
    const { quietMs: silentMs } = await readProbe(subject);
    const now = performance.now();
    doneAt = settled >= resources && open === 0 ? (doneAt ?? now) : undefined;
    if (doneAt !== undefined && silentMs >= quietMs) return Math.max(readyAt, doneAt, now - silentMs);
    return new NotYet(`${settled} passes have settled, ${open} are due; silent for ${Math.round(silentMs)} ms`);
  };
  return waitUntil('see the operator settled', probe, { withinMs, everyMs: 50 });
}

/** Throws if a metric is missing, because the sum would then look like that of an idle operator. */
export function readPasses(metrics: string): Passes {
  const read = (name: string): readonly (readonly [labels: string, value: number])[] => {
    const lines = metrics.matchAll(new RegExp(`^${prefix}${name}(\\{[^}]*\\})? (\\S+)$`, 'gm'));
    return [...lines].map(([, labels = '', value]) => [labels, Number(value)]);
  };
  const gauge = (name: string): number => {
    const [first] = read(name);
    if (first === undefined) throw new Error(`cannot see the operator settle: /metrics has no ${prefix}${name}`);
    return first[1];
  };
  const settled = read('reconcile_total').filter(([labels]) => /kind="(Cluster|\w+Template)"/.test(labels));
  const counts = settled.filter(([labels]) => labels.includes('result="settled"')).map(([, count]) => count);
  return { settled: counts.reduce((sum, count) => sum + count, 0), open: gauge('queue_depth') + gauge('workers_busy') };
}
