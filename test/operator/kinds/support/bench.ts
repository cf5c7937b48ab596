// What the tests of one file share: a namespace of the real API server, connections to it, and the store of the first process.
import { loadClusterConfig } from '../../../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../../../src/kube/http/transport.ts';
import type { Log } from '../../../../src/lib/ports.ts';
import { systemClock } from '../../../../src/lib/system.ts';
import { apiVersion } from '../../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../../src/operator/kinds/index.ts';
import { KubernetesStore } from '../../../../src/operator/kube/kubernetes-store.ts';
import { ClaimIndex } from '../../../../src/operator/reconcile/ownership/claim-index.ts';
import { type ApiServer, connect, createNamespace } from '../../../support/kubernetes/api-server.ts';
import { applyCrds } from '../../../support/kubernetes/crds.ts';

export const installation = 'e4f7c5a0-0000-4000-8000-conformance0';

/** The caches of one process. */
export interface Caches {
  readonly store: KubernetesStore;
  readonly claims: ClaimIndex;
  close(): Promise<void>;
}

export interface Bench {
  readonly api: ApiServer;
  readonly namespace: string;
  /** Those of the first process of every test. */
  readonly caches: Caches;
  /** A new process begins with empty ones. */
  openCaches(): Promise<Caches>;
  /** A number that no test of this file has had. */
  next(): number;
  close(): Promise<void>;
}

const silence: Log = { debug() {}, info() {}, warn() {}, error() {} };
const resources = definitions.map(({ kind, plural, scope }) => ({
  kind,
  apiVersion,
  plural,
  clusterScoped: scope === 'Cluster',
}));

export async function openBench(kubeconfig: string, name: string): Promise<Bench> {
  await applyCrds(kubeconfig);
  const api = await connect(kubeconfig);
  const namespace = await createNamespace(api, name);
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  const transport = createTransport({ config, clock: systemClock });
  const openCaches = async (): Promise<Caches> => {
    const random = { next: () => 0.5 };
    const store = new KubernetesStore({
      transport,
      resources,
      namespaces: [namespace],
      clock: systemClock,
      random,
      log: silence,
      lateDeletion: undefined,
    });
    const claims = new ClaimIndex(installation);
    store.subscribe((change) => claims.changed(change));
    store.subscribeWrites((change) => claims.changed(change));
    store.start();
    await eventually('the caches are filled', () => store.health().synced);
    return { store, claims, close: () => store.stop() };
  };
  const caches = await openCaches();
  let count = 0;
  return {
    api,
    namespace,
    caches,
    openCaches,
    next: () => ++count,
    async close() {
      await caches.close();
      await transport.close();
      await api.close();
    },
  };
}

/** Waits for what only the API server can bring about; a turn of the event loop at a time. */
export async function eventually(what: string, done: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error(`cannot go on: ${what} did not come true within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
