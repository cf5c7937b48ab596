// The identity of a Kubernetes cluster.

import type { ApiTransport } from './http/transport.ts';
import { toResource } from './resource.ts';

/** The uid of the namespace kube-system, which lives as long as its cluster. Rejects with ApiError. */
export async function readClusterUid(transport: ApiTransport): Promise<string> {
  const answer = await transport.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  return toResource({ kind: 'Namespace', apiVersion: 'v1', plural: 'namespaces' }, answer).metadata.uid;
}
