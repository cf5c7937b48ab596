// Ports of pods on this computer, as `kubectl port-forward` brings them there.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { KubeConfig, PortForward } from '@kubernetes/client-node';
import { inject, onTestFinished } from 'vitest';
import { reasonOf } from '../../../src/lib/errors.ts';
import { podOfHost } from '../../../src/service/backends/pods/api/names.ts';

/** Where the port of the pod is reached until the test has finished, for example `http://127.0.0.1:40123`. */
export async function forward(namespace: string, pod: string, port: number): Promise<string> {
  const config = new KubeConfig();
  config.loadFromFile(inject('podsKubeconfig'));
  const forwarder = new PortForward(config);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    // What asked gets to know by its end, which does not say why.
    forwarder.portForward(namespace, pod, [port], socket, process.stderr, socket).catch((error: unknown) => {
      console.warn(`port ${port} of ${namespace}/${pod} cannot be forwarded: ${reasonOf(error)}`);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return `http://127.0.0.1:${address.port}`;
}

/** The URL of a pod, as other pods use it, at a forwarded port. */
export async function forwardUrl(url: string): Promise<string> {
  const { hostname, port, pathname, search } = new URL(url);
  const [namespace, pod] = podOfHost(hostname);
  return `${await forward(namespace, pod, Number(port))}${pathname}${search}`;
}
