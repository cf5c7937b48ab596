// Creates objects with the administrator's kubeconfig, and waits for them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject, KubernetesObjectApi, V1Deployment, V1Node } from '@kubernetes/client-node';

const PAUSE_MS = 100;

/** The client takes a second to load, which a plane without a node saves. */
export async function connect(kubeconfig: string): Promise<KubernetesObjectApi> {
  const { KubeConfig, KubernetesObjectApi } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return KubernetesObjectApi.makeApiClient(config);
}

export async function createObjects(api: KubernetesObjectApi, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) await api.create(object);
}

export interface Waiting {
  readonly limitMs: number;
  /** Throws if waiting is in vain. */
  readonly check: () => Promise<void>;
}

/** Waits until the object exists and is ready. */
export async function waitForObject(
  api: KubernetesObjectApi,
  object: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } },
  { limitMs, check }: Waiting,
): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await api.read(object).catch(() => undefined);
    if (found !== undefined && isReady(found)) return;
    await check();
    if (performance.now() > end)
      throw new Error(`${object.kind} ${object.metadata.name} is not ready after ${limitMs / 1000} s`);
    await sleep(PAUSE_MS);
  }
}

function isReady({ status }: V1Node | V1Deployment): boolean {
  const type = ['Ready', 'Available'];
  return (status?.conditions ?? []).some((each) => type.includes(each.type) && each.status === 'True');
}
