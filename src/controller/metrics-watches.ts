// The figures of watches: how often a kind had to be listed anew.
import { Counter, type Registry } from 'prom-client';
import { prefix } from './metrics-labels.ts';

export interface Watched {
  readonly kind: string;
  /** Lists after the first, by what made them necessary. */
  readonly relists: Readonly<Record<string, number>>;
}

/** Reads the sources whenever the metrics are fetched; there may be several of one kind, one a namespace. */
export function measureWatches(registry: Registry, sources: () => readonly Watched[]): void {
  const collect = function (this: Counter<'kind'>) {
    this.reset();
    for (const { kind, relists } of sources()) {
      const total = Object.values(relists).reduce((sum, count) => sum + count, 0);
      this.inc({ kind }, total);
    }
  };
  new Counter({
    name: `${prefix}watch_relists_total`,
    help: 'Lists of all objects after the first: the version was forgotten or led nowhere, or the last list was old.',
    labelNames: ['kind'],
    registers: [registry],
    collect,
  });
}
