// What the answers of an API server have to be, and the log of a container, which it sends as it comes.
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../../../../src/kube/api-error.ts';
import { createTransport } from '../../../../../src/kube/http/transport.ts';
import { jobs, KubeApi } from '../../../../../src/service/backends/pods/api/api.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { answer, plainConfig, scriptServer } from '../../../../operator/kube/support/scripted-server.ts';
import { ManualClock } from '../../../../support/clock.ts';

async function open() {
  const server = await scriptServer(answer(200, 'one\n'));
  const transport = createTransport({ config: plainConfig(server.url), clock: new ManualClock() });
  onTestFinished(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
  });
  const { signal } = new AbortController();
  const api = new KubeApi(transport);
  const log = api.log({ namespace: 'data', name: 'run-1' }, { follow: true }, { signal, idleMs: 1000 });
  return { server, api, log };
}

test('each part is there at once, before the log ends', async () => {
  const { server, log } = await open();
  server.behave((_request, response) => void response.writeHead(200).write('one\n'));
  expect(Buffer.from((await log.next()).value ?? '').toString()).toBe('one\n');
  expect(server.requests[0]?.url).toBe('/api/v1/namespaces/data/pods/run-1/log?follow=true');
  await log.return(undefined);
});

test('a refusal says why, and whether it may pass', async () => {
  for (const [status, message, kind] of [
    [400, 'container "program" in pod "run-1" is waiting to start', ApiError],
    [500, 'dial tcp 10.0.0.1:10250: connect: connection refused', Transient],
  ] as const) {
    const { server, log } = await open();
    server.behave(answer(status, { kind: 'Status', apiVersion: 'v1', message }));
    const failing = log.next();
    await expect(failing).rejects.toBeInstanceOf(kind);
    await expect(failing).rejects.toThrow(`cannot read the log of pod data/run-1: ${status} ${message}`);
  }
});

const metadata = { name: 'run-1', namespace: 'data' };
const made = { apiVersion: 'batch/v1', kind: 'Job', metadata };
const found = { ...made, metadata: { ...metadata, uid: '1' } };
const requests: readonly (readonly [string, (api: KubeApi) => Promise<unknown>])[] = [
  ['apply', (api) => api.apply(jobs, made)],
  ['create', (api) => api.create(jobs, made)],
  ['get', (api) => api.get(jobs, 'data', 'run-1')],
  ['list', (api) => api.list(jobs, 'data', {}, (job) => job)],
  ['remove', (api) => api.remove(jobs, 'data', 'run-1')],
];
const status = { kind: 'Status', apiVersion: 'v1', metadata: {} };

test.each([
  ['nothing', 200, ''],
  ['null', 200, 'null'],
  ['an empty object', 200, '{}'],
  ['a page', 200, '<html>log in</html>'],
  ['an object of another kind', 200, { ...found, kind: 'Pod' }],
  ['another object', 200, { ...found, metadata: { ...found.metadata, name: 'run-2' } }],
  ['an object that nobody has stored', 200, made],
  ['a list without items', 200, { kind: 'JobList', apiVersion: 'batch/v1', metadata: {} }],
  ['a list of nothing', 200, { kind: 'JobList', apiVersion: 'batch/v1', metadata: {}, items: [null] }],
  ['a list without a kind', 200, { metadata: {}, items: [] }],
  ['a Status that is no success', 200, { ...status, status: 'Failure' }],
  ['no such page', 404, { message: 'no Route matched with those values' }],
  ['no such path', 404, '404 page not found'],
  [
    'something else that is missing',
    404,
    { ...status, reason: 'NotFound', message: 'clusters.example "c-1" not found' },
  ],
  ['a Status without a reason', 404, { ...status, message: 'jobs.batch "run-1" not found' }],
])('%s is no answer to any request: nothing was done, and nothing is gone', async (_what, code, body) => {
  const { server, api } = await open();
  server.behave(answer(code, body));
  for (const [verb, ask] of requests) {
    await expect(ask(api), verb).rejects.toBeInstanceOf(Transient);
  }
});

test.each([
  ['apply', 200, found, found],
  ['create', 201, found, true],
  ['create', 409, { ...status, reason: 'AlreadyExists', message: 'jobs.batch "run-1" already exists' }, false],
  ['get', 200, found, found],
  ['get', 404, { ...status, reason: 'NotFound', message: 'jobs.batch "run-1" not found' }, undefined],
  ['list', 200, { kind: 'JobList', items: [{ metadata }] }, [{ metadata }]],
  ['remove', 200, { ...status, status: 'Success' }, undefined],
  ['remove', 200, found, undefined],
  ['remove', 404, { ...status, reason: 'NotFound', message: 'jobs.batch "run-1" not found' }, undefined],
])('%s takes what the API server answers with %i', async (verb, code, body, result) => {
  const { server, api } = await open();
  server.behave(answer(code, body));
  const [, ask] = requests.find(([name]) => name === verb) ?? [];
  await expect(ask?.(api)).resolves.toEqual(result);
});

describe('a long list', () => {
  const page = (names: readonly string[], token?: string) =>
    answer(200, {
      kind: 'JobList',
      metadata: { ...(token && { continue: token }) },
      items: names.map((name) => ({ metadata: { name }, spec: { template: 'long' } })),
    });
  const expired = answer(410, { ...status, reason: 'Expired', message: 'The provided continue parameter is too old' });

  test.each([
    ['labels', { labels: { a: 'b' }, without: 'c' }, 'labelSelector=a%3Db%2C%21c'],
    ['a label that it must not have', { without: 'c' }, 'labelSelector=%21c'],
  ])('is of the objects with %s', async (_what, selection, query) => {
    const { server, api } = await open();
    server.behave(page([]));
    expect(await api.list(jobs, 'data', selection, (job) => job)).toEqual([]);
    expect(server.requests.map(({ url }) => url?.split('?')[1])).toEqual([`${query}&limit=50`]);
  });

  async function openPages(...pages: readonly Parameters<Awaited<ReturnType<typeof open>>['server']['behave']>[0][]) {
    const { server, api } = await open();
    const left = [...pages];
    server.behave((...exchange) => (left.shift() ?? expired)(...exchange));
    const list = () =>
      api.list(jobs, 'data', { labels: { a: 'b' } }, ({ metadata: { name } }) => ({ metadata: { name } as never }));
    return { list, queries: () => server.requests.map(({ url }) => url?.split('?')[1]) };
  }

  test('comes in pages, of which only what is needed is kept', async () => {
    const { list, queries } = await openPages(page(['run-1'], 'next'), page(['run-2', 'run-3']));
    expect(await list()).toEqual(['run-1', 'run-2', 'run-3'].map((name) => ({ metadata: { name } })));
    expect(queries()).toEqual(['labelSelector=a%3Db&limit=50', 'labelSelector=a%3Db&limit=50&continue=next']);
  });

  test('starts over when its token has expired', async () => {
    const { list } = await openPages(page(['run-1'], 'old'), expired, page(['run-2'], 'new'), page(['run-3']));
    expect(await list()).toEqual(['run-2', 'run-3'].map((name) => ({ metadata: { name } })));
  });

  test('whose tokens expire again and again is tried later', async () => {
    const first = page(['run-1'], 'old');
    const { list, queries } = await openPages(first, expired, first, expired, first, expired);
    await expect(list()).rejects.toBeInstanceOf(Transient);
    expect(queries()).toHaveLength(6);
  });
});
