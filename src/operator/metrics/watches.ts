// The figures of watches: how often a kind had to be listed anew, and which namespaces may not be read.
import { Counter, Gauge, type Registry } from 'prom-client';
import { prefix } from './labels.ts';

export interface WatchedKinds {
  readonly kind: string;
  /** Lists after the first, by what made them necessary. */
  readonly relists: Readonly<Record<string, number>>;
}

/** Reads the sources whenever the metrics are fetched; there may be several of one kind, one a namespace. */
export function measureWatches(registry: Registry, sources: () => readonly WatchedKinds[]): void {
  const collect = function (this: Counter<'kind'>) {
    this.reset();
    for (const { kind, relists } of sources()) {
      const total = Object.values(relists).reduce((sum, count) => sum + count, 0);
      this.inc({ kind }, total);
    }
  };
  new Counter({
    name: `${prefix}watch_relists_total`,
    help: 'Complete lists after the first one, because the resource version expired, the watch failed or the last list was old.',
    labelNames: ['kind'],
    registers: [registry],
    collect,
  });
}

/** One series for each namespace that is watched by name; none where all are. */
export function measureNamespaces(
  registry: Registry,
  namespaces: () => readonly { readonly namespace: string; readonly forbidden: readonly string[] }[],
): void {
  const collect = function (this: Gauge<'watched_namespace'>) {
    this.reset();
    for (const { namespace, forbidden } of namespaces())
      this.set({ watched_namespace: namespace }, forbidden.length > 0 ? 1 : 0);
  };
  new Gauge({
    name: `${prefix}namespace_forbidden`,
    help: '1 while the operator lacks the permission to read a namespace in --namespaces. It does not reconcile the objects there.',
    labelNames: ['watched_namespace'],
    registers: [registry],
    collect,
  });
}
