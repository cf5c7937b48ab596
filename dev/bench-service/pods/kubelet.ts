// Plays the controllers and the kubelet: it makes the pods of StatefulSets and Jobs, and writes what becomes of them.
import type { ApiTransport } from '../../../src/kube/http/transport.ts';

interface Listed {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly serviceName?: string; readonly template: object };
}

export class Kubelet {
  readonly #transport: ApiTransport;
  readonly #namespace: string;

  constructor(transport: ApiTransport, namespace: string) {
    this.#transport = transport;
    this.#namespace = namespace;
  }

  async list(kind: 'apps/v1 statefulsets' | 'batch/v1 jobs'): Promise<readonly Listed[]> {
    const [version, plural] = kind.split(' ');
    const path = `/apis/${version}/namespaces/${this.#namespace}/${plural}`;
    return ((await this.#transport.request({ method: 'GET', path })) as { readonly items: readonly Listed[] }).items;
  }

  async makePod(name: string, template: object, status: object): Promise<void> {
    const { metadata, spec } = template as { readonly metadata: object; readonly spec: object };
    const path = `/api/v1/namespaces/${this.#namespace}/pods`;
    await this.#transport.request({ method: 'POST', path, body: { metadata: { ...metadata, name }, spec } });
    await this.setStatus(name, status);
  }

  async setStatus(pod: string, status: object): Promise<void> {
    await this.#transport.request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${this.#namespace}/pods/${pod}/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });
  }

  /** Makes the namespace, with the account that pods need. */
  async prepare(): Promise<void> {
    const namespace = { metadata: { name: this.#namespace } };
    await this.#transport.request({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
    const path = `/api/v1/namespaces/${this.#namespace}/serviceaccounts`;
    await this.#transport.request({ method: 'POST', path, body: { metadata: { name: 'default' } } });
  }
}

/** Of a machine that can be used. */
export const ready = { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] };

/** Of the pod of a run, by the state of its program. */
export const programIs = (state: object) => ({
  podIP: '10.0.0.1',
  containerStatuses: [{ name: 'program', image: '', imageID: '', ready: false, restartCount: 0, state }],
});
