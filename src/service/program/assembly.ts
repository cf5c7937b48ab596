// Puts together the parts that answer requests, without the HTTP server.
import type { Log } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { createSimulatedEngine } from '../backends/job-engine.ts';
import { createSimulatedProvisioner } from '../backends/simulated-provisioner.ts';
import { bundledPlugins } from '../engines/index.ts';
import { type Catalog, usualQuotas } from '../model/catalog/catalog.ts';
import { withCommonConfigs } from '../model/catalog/plugins.ts';
import { createMemoryStore } from '../model/store/store.ts';
import { Lifecycle } from '../resources/clusters/lifecycle.ts';
import { Loads } from '../resources/clusters/loads.ts';
import { Executions } from '../resources/executions/executions.ts';
import type { Service } from '../resources/service.ts';
import type { ServerOptions } from './options.ts';

const commonIn = (dialect: Dialect, catalog: Catalog): Catalog =>
  dialect === 'sahara' ? { ...catalog, plugins: catalog.plugins.map(withCommonConfigs) } : catalog;

/** Clusters and executions advance only after `resume`, except for operations that requests begin. */
export function assemble(options: ServerOptions, log: Log): Service & { readonly loads: Loads } {
  const { clock, random, dialect = 'neutral', stageMs = 0, hooks, maxConcurrent } = options;
  const {
    store: records = createMemoryStore(),
    provisioner = createSimulatedProvisioner(random),
    engine = createSimulatedEngine(random),
  } = options;
  const catalog = commonIn(dialect, {
    plugins: bundledPlugins,
    flavors: undefined,
    images: undefined,
    ...usualQuotas,
    allRowBytes: Number.POSITIVE_INFINITY,
    ...options.catalog,
  });
  const duration = typeof stageMs === 'number' ? () => stageMs : stageMs;
  const store = hooks === undefined ? records : hooks.wrapStore(records);
  const basis = { dialect, store, clock, random };
  const machinery = { ...basis, log, stageMs: duration, hooks, quotas: catalog };
  const executions = new Executions({ ...machinery, engine, maxConcurrent, runByteQuota: catalog.runByteQuota });
  const lifecycle = new Lifecycle({ ...machinery, provisioner, maxConcurrent, dependents: executions });
  const loads = new Loads({ provisioner, store, clock, log });
  store.volume?.onChange((isFull) => {
    if (!isFull) for (const runner of [lifecycle, executions]) runner.retryAll();
  });
  return {
    ...basis,
    catalog,
    lifecycle,
    executions,
    engine,
    provisioner,
    misdates: () => hooks?.misdates,
    loads,
    loadOf: (tenant, cluster) => hooks?.loadOf(cluster) ?? loads.of(tenant, cluster),
    texts: new WeakMap(),
  };
}
