// Where the plugin asks for the output of a run, and who gets the token.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSource } from '../../../src/cli/logs/log-source.ts';
import { printLogs } from '../../../src/cli/logs/logs-command.ts';
import { type Execution, Objects } from '../../../src/cli/objects.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../src/kube/http/transport.ts';
import { systemClock } from '../../../src/lib/system.ts';

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
  /** The namespace of the Secrets of a SharedConnection. */
  readonly credentialsNamespace?: string;
}

/** Opens the output, and returns what the API server was asked to pass on. */
const read: string[] = [];

async function open({ endpoint, isInCluster = false, credentialsNamespace }: Case): Promise<readonly ApiCall[]> {
  const passed: ApiCall[] = [];
  const auth = { type: 'Token', secretRef: { name: 'token' } };
  const spec = { endpoint, tenantID: 'demo', auth, ...(credentialsNamespace && { credentialsNamespace }) };
  const found: Readonly<Record<string, object>> = {
    connections: { spec },
    sharedconnections: { spec },
    secrets: { data: { token: Buffer.from('open-sesame').toString('base64') } },
  };
  const transport = {
    request: async ({ path: at }: ApiCall) => {
      read.push(at);
      return Object.entries(found).find(([plural]) => at.includes(`/${plural}/`))?.[1];
    },
    open: async (call: ApiCall) => {
      passed.push(call);
      return { status: 200, bytes: (async function* () {})() };
    },
  } as unknown as PodTransport;
  const access = { objects: new Objects(transport, 'team'), transport, tokenFile: undefined, isInCluster };
  const connectionRef = { kind: 'SharedConnection', name: 'platform' } as const;
  const shared = { ...execution, spec: { ...execution.spec, connectionRef } };
  const source = await openSource(access, credentialsNamespace === undefined ? execution : shared);
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

test('of a run behind a SharedConnection, the Secret is read where that says', async () => {
  read.length = 0;
  const { port } = server.address() as AddressInfo;
  await open({ endpoint: `http://127.0.0.1:${port}`, credentialsNamespace: 'data-platform' });
  expect(read).toEqual([
    '/apis/dataprocessing.dev/v1alpha1/sharedconnections/platform',
    '/api/v1/namespaces/data-platform/secrets/token',
  ]);
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

interface Refusing {
  readonly status: number;
  readonly text: string;
}

/** How the printing ends if the API server answers so. */
async function printed({ status, text }: Refusing, cluster: object = {}): Promise<string> {
  const running = { ...execution, status: { id: 'run-1', cluster: { name: 'big', id: 'c-7' } } };
  const found: Readonly<Record<string, object>> = {
    jobexecutions: running,
    connections: { spec: { endpoint: 'http://service.system.svc', tenantID: 'demo' } },
    clusters: { status: cluster },
  };
  const transport = {
    request: async ({ path: at }: ApiCall) => Object.entries(found).find(([plural]) => at.includes(`/${plural}/`))?.[1],
    open: async () => ({
      status,
      bytes: (async function* () {
        yield Buffer.from(text);
      })(),
    }),
  } as unknown as PodTransport;
  const access = { objects: new Objects(transport, 'team'), transport, tokenFile: undefined, isInCluster: false };
  const printer = {
    clock: systemClock,
    signal: AbortSignal.timeout(30_000),
    print: async () => {},
    tell: () => {},
    isTerminal: false,
    isColoured: false,
  };
  const ended = printLogs(access, { execution: 'etl', follow: false, tail: undefined, hideInfo: false }, printer);
  return ended.then(() => '', String);
}

const refusal = (status: number, message: string) => ({
  status,
  text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status }),
});

test.each([
  [refusal(403, 'no'), 'ask for the verb "get" on services/proxy in namespace "system", or run the plugin in a pod'],
  [
    refusal(404, 'services "service" not found'),
    /there is no Service "service" in namespace "system": correct the endpoint of the Connection$/,
  ],
  [
    refusal(503, 'no endpoints available'),
    'cannot reach the service through the API server: 503 no endpoints available',
  ],
  // The service itself.
  [{ status: 403, text: '{"error_code":403}' }, 'cannot read the output: 403 "{\\"error_code\\":403}"'],
  [
    { status: 404, text: '{"error_code":404}' },
    'has no output of etl (run run-1): it keeps none, or the run has not begun',
  ],
  [
    { status: 404, text: 'null' },
    'Look for its log in the service, at job execution run-1, or on the machines of its cluster c-7',
  ],
])('%j is explained', async (answer, why) => {
  expect(await printed(answer)).toMatch(why);
});

test('without output, the pages of the cluster are named', async () => {
  const endpoints = [
    { target: 'HDFS', name: 'NameNode', url: 'hdfs://master:8020' },
    { target: 'YARN', name: 'Web UI', url: 'http://master:8088' },
  ];
  const told = await printed({ status: 404, text: '' }, { endpoints });
  expect(told).toMatch(/\. Look at the pages of Cluster big: http:\/\/master:8088 \(YARN Web UI\)$/);
});
