// Where the plugin asks for the output of a run, and who gets the token.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSource } from '../../src/cli/log-source.ts';
import { type Execution, Objects } from '../../src/cli/objects.ts';
import type { ApiCall } from '../../src/kube/http/call.ts';
import type { PodTransport } from '../../src/kube/http/transport.ts';

const execution: Execution = { apiVersion: '', kind: 'JobExecution', metadata: { name: 'etl' }, spec: {} };
const query = { follow: true, tailLines: 3 };
const path = '/v1.1/demo/job-executions/run-1/logs';

/** A service outside the cluster. */
const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, answer) => {
  asked.push({ url: request.url, headers: request.headers });
  answer.end('direct');
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

interface Case {
  readonly endpoint: string;
  readonly isInCluster?: boolean;
}

/** Opens the output, and returns what the API server was asked to pass on. */
async function open({ endpoint, isInCluster = false }: Case): Promise<readonly ApiCall[]> {
  const passed: ApiCall[] = [];
  const found: Readonly<Record<string, object>> = {
    connections: { spec: { endpoint, tenantID: 'demo', auth: { type: 'Token', secretRef: { name: 'token' } } } },
    secrets: { data: { token: Buffer.from('open-sesame').toString('base64') } },
  };
  const transport = {
    request: async ({ path: at }: ApiCall) => Object.entries(found).find(([plural]) => at.includes(`/${plural}/`))?.[1],
    open: async (call: ApiCall) => {
      passed.push(call);
      return { status: 200, bytes: (async function* () {})() };
    },
  } as unknown as PodTransport;
  const access = { objects: new Objects(transport, 'team'), transport, tokenFile: undefined, isInCluster };
  const source = await openSource(access, execution);
  const { status, bytes } = await source.open('run-1', query, AbortSignal.timeout(30_000));
  for await (const _ of bytes);
  expect(status).toBe(200);
  return passed;
}

test.each([
  ['http://service.system.svc:8386', 'http:service:8386/proxy'],
  ['https://service.system.svc.cluster.local/base/', 'https:service:443/proxy/base'],
  // A resolver may know any name. This one is that of this computer itself.
  ['http://localhost.system.svc', 'http:localhost:80/proxy'],
])('a Service of the cluster is asked through the API server alone: %s', async (endpoint, target) => {
  const before = asked.length;
  expect(await open({ endpoint })).toMatchObject([
    {
      method: 'GET',
      path: `/api/v1/namespaces/system/services/${target}${path}`,
      query: { follow: 'true', tailLines: '3' },
      headers: { 'x-auth-token': 'open-sesame' },
    },
  ]);
  expect(asked.length).toBe(before);
});

test('any other service is asked itself', async () => {
  const { port } = server.address() as AddressInfo;
  expect(await open({ endpoint: `http://127.0.0.1:${port}` })).toEqual([]);
  expect(asked.at(-1)).toMatchObject({
    url: `${path}?follow=true&tailLines=3`,
    headers: { 'x-auth-token': 'open-sesame' },
  });
});

test('a pod asks the Service itself', async () => {
  const passed = open({ endpoint: 'http://service.system.svc:1', isInCluster: true });
  await expect(passed).rejects.toThrow('service.system.svc');
});
