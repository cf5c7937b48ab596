// The configuration from kubeconfigs. The client library is loaded only for those that need it.
import { singleFlight } from '../../lib/single-flight.ts';
import { loadPlain } from './plain-kubeconfig.ts';
import type { ClusterConfig, Kubeconfig, KubeconfigOptions } from './types.ts';

/** Limits file reads and plugin runs to one in ten seconds. Short, because the lifetime of a plugin's token is not known. */
const credentialsFreshMs = 10_000;

/** Rejects with `cannot load cluster configuration: ...` if a file or the context cannot be used. */
export async function kubeconfigConfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  let loaded = await load(options);
  let refused = false;
  const credentials = singleFlight(options.clock, credentialsFreshMs, async () => {
    // Reading the files again is the only way to empty the library's cache of plugin tokens.
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
  // Loaded on demand: the client library costs a second and 45 MB.
  const { loadByLibrary } = await import('./library-kubeconfig.ts');
  return loadByLibrary(options);
}
