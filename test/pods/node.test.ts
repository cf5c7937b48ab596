// The node runs pods as any other does: logs, limits, names, addresses and rules are real.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubernetesObject } from '@kubernetes/client-node';
import { describe, expect, inject, it } from 'vitest';
import { cluster, create, createNamespace, outputOf, podThat, startPod, withoutCluster } from './support/cluster.ts';

/** A Service that leads to the pod with the same name, and its address. */
async function createService(namespace: string, name: string): Promise<string> {
  const spec = { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] };
  await create({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec } as KubernetesObject);
  const service = await cluster().core.readNamespacedService({ name, namespace });
  return service.spec?.clusterIP ?? '';
}

/** Prints the address and the answer of the Service. The rules of kube-proxy come a little after the pod is ready. */
const ask = (namespace: string, name: string): string =>
  `nslookup ${name}.${namespace}.svc.cluster.local && until timeout 2 wget -q -O - http://${name}.${namespace}/; do sleep 0.2; done`;

describe.skipIf(withoutCluster)('a node', () => {
  it('is ready', async () => {
    const { items } = await cluster().core.listNode();
    expect(items.length).toBeGreaterThan(0);
    for (const { metadata, status } of items) {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready, metadata?.name).toMatchObject({ status: 'True' });
    }
  });

  it.concurrent('runs a pod, whose log can be read', async (context) => {
    const namespace = await createNamespace(context);
    const script = 'echo "hello from $HOSTNAME as $(id -u)"';
    expect(await outputOf({ namespace, name: 'greeter', script })).toBe('hello from greeter as 65532\n');
  });

  it.concurrent('kills a container that exceeds its memory limit', async (context) => {
    const namespace = await createNamespace(context);
    await startPod({ namespace, name: 'hungry', script: 'tail /dev/zero' });
    const { status } = await podThat('has ended', namespace, 'hungry');
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ reason: 'OOMKilled' });
  });
});

describe.skipIf(withoutCluster)('the network of pods', () => {
  it.concurrent('has a name for a Service, and an address at which its pod answers', async (context) => {
    const namespace = await createNamespace(context);
    const script = 'echo "served by $HOSTNAME" > /tmp/index.html && httpd -f -p 8080 -h /tmp';
    const readinessProbe = { httpGet: { path: '/index.html', port: 8080 }, periodSeconds: 1 };
    await startPod({ namespace, name: 'web', script, container: { readinessProbe } });
    const address = await createService(namespace, 'web');
    await podThat('is ready', namespace, 'web');
    const answer = await outputOf({ namespace, name: 'client', script: ask(namespace, 'web') });
    expect(answer).toContain(`Address: ${address}\n`);
    expect(answer).toContain('served by web\n');
  });

  it.concurrent('leads a pod to itself through its Service', async (context) => {
    const namespace = await createNamespace(context);
    const address = await createService(namespace, 'itself');
    const serve = "echo 'served by itself' > /tmp/index.html; httpd -p 8080 -h /tmp";
    const answer = await outputOf({ namespace, name: 'itself', script: `${serve}; ${ask(namespace, 'itself')}` });
    expect(answer).toContain(`Address: ${address}\n`);
    expect(answer).toContain('served by itself\n');
  });

  it.skipIf(inject('podsHost') === '')('leads to a server of this computer', async (context) => {
    const server = createServer((_request, response) => response.end('served outside'));
    server.listen(0, inject('podsHost'));
    context.onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { address, port } = server.address() as AddressInfo;
    const namespace = await createNamespace(context);
    const script = `timeout 10 wget -q -O - http://${address}:${port}/`;
    expect(await outputOf({ namespace, name: 'client', script })).toBe('served outside');
  });
});

describe.skipIf(withoutCluster)('the API server', () => {
  it.concurrent('refuses a privileged pod in a namespace with the restricted standard', async (context) => {
    const namespace = await createNamespace(context);
    const container = { securityContext: { privileged: true } };
    const start = startPod({ namespace, name: 'privileged', script: 'true', container });
    await expect(start).rejects.toThrow(/violates PodSecurity "restricted:latest": privileged/);
    expect((await cluster().core.listNamespacedPod({ namespace })).items).toEqual([]);
  });

  // The network of our own node enforces no policy, so this shows only that valid ones are accepted.
  it.concurrent('accepts a NetworkPolicy, and refuses one with an unknown type', async (context) => {
    const namespace = await createNamespace(context);
    const policy = (policyTypes: readonly string[]) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'deny', namespace },
      spec: { podSelector: {}, policyTypes },
    });
    await expect(create(policy(['Sideways']))).rejects.toThrow('spec.policyTypes[0]');
    expect(await create(policy(['Ingress', 'Egress']))).toMatchObject({ spec: { policyTypes: ['Ingress', 'Egress'] } });
  });
});
