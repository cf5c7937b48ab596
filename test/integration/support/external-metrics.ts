// A metrics server that the API server aggregates as external.metrics.k8s.io: one metric, with the value that the test sets.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { filesOf } from '../../../dev/plane/directory.ts';
import { createServerKeys } from '../../../dev/plane/keys/kubeconfig.ts';
import type { Plane } from '../../../dev/plane/plane.ts';
import type { World } from './world.ts';

const [group, version] = ['external.metrics.k8s.io', 'v1beta1'];
const groupVersion = `${group}/${version}`;
const registration = `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`;

export interface ExternalMetric extends AsyncDisposable {
  value: number;
}

/** Registers the server for the whole plane, so there can be only one at a time. */
export async function serveMetric(plane: Plane, world: World, name: string): Promise<ExternalMetric> {
  const metric = { value: 0 };
  const host = `metrics.${world.namespace}.svc`;
  const paths = { certificate: join(plane.directory, 'metrics.crt'), key: join(plane.directory, 'metrics.key') };
  await createServerKeys(plane.directory, { name: host, address: '127.0.0.1' }, paths);
  const [cert, key] = await Promise.all([readFile(paths.certificate), readFile(paths.key)]);
  const server = createServer({ cert, key }, ({ url = '' }, response) => {
    const body = answerTo(new URL(url, 'https://metrics').pathname, name, metric.value);
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  await register(plane, world, (server.address() as AddressInfo).port);
  return Object.assign(metric, {
    async [Symbol.asyncDispose]() {
      // While a registered server cannot be reached, no namespace can be deleted.
      await world.api.send({ method: 'DELETE', path: registration });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Discovery, and the metric in any namespace. */
function answerTo(path: string, name: string, value: number): object | undefined {
  const root = `/apis/${groupVersion}`;
  if (path === root) {
    const resource = { name, singularName: '', namespaced: true, kind: 'ExternalMetricValueList', verbs: ['get'] };
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [resource] };
  }
  if (!path.startsWith(`${root}/namespaces/`) || !path.endsWith(`/${name}`)) return undefined;
  const timestamp = new Date().toISOString();
  const item = { metricName: name, metricLabels: {}, timestamp, value: String(value) };
  return { kind: 'ExternalMetricValueList', apiVersion: groupVersion, metadata: {}, items: [item] };
}

async function register(plane: Plane, { api, namespace }: World, port: number): Promise<void> {
  const authority = await readFile(filesOf(plane.directory).authority);
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  };
  const apiService = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { namespace, name: 'metrics', port },
      caBundle: authority.toString('base64'),
    },
  };
  await apply(api, `/api/v1/namespaces/${namespace}/services/metrics`, service);
  await apply(api, registration, apiService);
}

async function apply(api: World['api'], path: string, object: object): Promise<void> {
  const { status, body } = await api.apply(path, object);
  if (status >= 300) throw new Error(`cannot apply ${path}: ${JSON.stringify(body)}`);
}
