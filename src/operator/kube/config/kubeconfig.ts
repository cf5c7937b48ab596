// The configuration of kubeconfigs, read by ourselves where they are plain, else by the client library.

import { singleFlight } from '../../../lib/single-flight.ts';
import { loadPlain } from './plain-kubeconfig.ts';
import type { ClusterConfig, Kubeconfig, KubeconfigOptions } from './types.ts';

/** Short, because the tokens of plugins end when they like; it bounds file reads and plugin runs to one in ten seconds. */
const credentialsFreshMs = 10_000;

/** Rejects with `cannot load cluster configuration: ...` when a file or the context cannot be used. */
export async function kubeconfigConfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  let loaded = await load(options);
  let refused = false;
  const credentials = singleFlight(options.clock, credentialsFreshMs, async () => {
    // Only reading the files again empties the library's own cache of plugin tokens.
    if (refused) loaded = await load(options);
    refused = false;
    return loaded.authenticate();
  });
  const { server, namespace } = loaded;
  return {
    server,
    namespace,
    trust: await loaded.trust(),
    credentials: () => credentials.get(),
    renew(): void {
      refused = true;
      credentials.drop();
    },
  };
}

async function load(options: KubeconfigOptions): Promise<Kubeconfig> {
  const plain = await loadPlain(options);
  if (plain !== undefined) return plain;
  // Imported only here: the client library costs a second and 45 MB.
  const { loadByLibrary } = await import('./library-kubeconfig.ts');
  return loadByLibrary(options);
}
