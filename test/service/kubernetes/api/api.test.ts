// The log of a container, which an API server sends as it comes.
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../../../src/kube/api-error.ts';
import { createTransport } from '../../../../src/kube/http/transport.ts';
import { KubeApi } from '../../../../src/service/kubernetes/api/api.ts';
import { Transient } from '../../../../src/service/stages/transient.ts';
import { answer, plainConfig, scriptServer } from '../../../operator/kube/support/scripted-server.ts';
import { ManualClock } from '../../../support/clock.ts';

async function open() {
  const server = await scriptServer(answer(200, 'one\n'));
  const transport = createTransport({ config: plainConfig(server.url), clock: new ManualClock() });
  onTestFinished(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
  });
  const { signal } = new AbortController();
  const log = new KubeApi(transport).log(
    { namespace: 'data', name: 'run-1' },
    { follow: true },
    { signal, idleMs: 1000 },
  );
  return { server, log };
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
    server.behave(answer(status, { kind: 'Status', message }));
    const failing = log.next();
    await expect(failing).rejects.toBeInstanceOf(kind);
    await expect(failing).rejects.toThrow(`cannot read the log of pod data/run-1: ${status} ${message}`);
  }
});
