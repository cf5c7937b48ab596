// Puts together what answers requests, without what they come through.
import type { Log } from '../ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Catalog } from './catalog.ts';
import { Executions } from './executions.ts';
import { createSimulatedEngine } from './job-engine.ts';
import { createLaggingStore } from './lagging-store.ts';
import { Lifecycle } from './lifecycle.ts';
import { bundledPlugins, withCommonConfigs } from './plugins.ts';
import { createSimulatedProvisioner } from './provisioner.ts';
import type { ServerOptions } from './server.ts';
import type { Service } from './service.ts';
import { createMemoryStore } from './store.ts';

const commonIn = (dialect: Dialect, catalog: Catalog): Catalog =>
  dialect === 'sahara' ? { ...catalog, plugins: catalog.plugins.map(withCommonConfigs) } : catalog;

/** Nothing goes on by itself before lifecycle and executions are resumed, but for what requests begin. */
export function assemble(options: ServerOptions, log: Log): Service {
  const { clock, random, dialect = 'neutral', stageMs = 0, injector } = options;
  const {
    store: records = createMemoryStore(),
    provisioner = createSimulatedProvisioner(random),
    engine = createSimulatedEngine(random),
  } = options;
  const catalog = commonIn(dialect, {
    plugins: bundledPlugins,
    flavors: undefined,
    images: undefined,
    quota: 10_000,
    rowQuota: 100_000,
    rowByteQuota: 128 * 1024 ** 2,
    byteQuota: 1024 ** 3,
    ...options.catalog,
  });
  const duration = typeof stageMs === 'number' ? () => stageMs : stageMs;
  const store = injector === undefined ? records : createLaggingStore(records, injector, clock);
  const machinery = { dialect, store, clock, random, log, stageMs: duration, habits: injector };
  const executions = new Executions({ ...machinery, engine });
  const lifecycle = new Lifecycle({ ...machinery, provisioner, dependents: executions });
  return { dialect, catalog, store, lifecycle, executions, clock, random, texts: new WeakMap() };
}
