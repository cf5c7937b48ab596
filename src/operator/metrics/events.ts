// The figures of Kubernetes events: nobody waits for them, so that only these tell when some are lost.
import { Counter, type Registry } from 'prom-client';
import { prefix } from './labels.ts';

type CountedEvents = Readonly<Record<'sent' | 'dropped' | 'failed', number>>;

/** Reads the counts, by result, whenever the metrics are fetched. */
export function measureEvents(registry: Registry, counts: () => CountedEvents): void {
  new Counter({
    name: `${prefix}events_total`,
    help: 'Kubernetes events by result: sent, dropped because the queue was full, or failed because the API server refused them.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(counts())) this.inc({ result }, count);
    },
  });
}
