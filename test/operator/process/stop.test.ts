// The end of the process, after its parts have stopped. test/operator/process/process-lifecycle.test.ts tests the stop of the parts.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readStart } from '../../../dev/bench/image.ts';
import { runCommand, runProgram } from '../../support/command.ts';

/** Its exit never ends. Resolves when it has begun to ask an API server, which never answers. */
async function startHanging() {
  const folder = await mkdtemp(join(tmpdir(), 'stop-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  await once(silent, 'listening');
  const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const kubeconfig = {
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  };
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
  const hang = `process.on('exit', () => {
    process._rawDebug('in its exit');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const flags = ['--kubeconfig', join(folder, 'kubeconfig'), '--installation', 'test'];
  const asked = once(silent, 'request');
  const hanging = `--import=data:text/javascript,${encodeURIComponent(hang)}`;
  const operator = runProgram(hanging, ['src/operator/main.ts', ...flags, '--health-address=127.0.0.1:0']);
  await asked;
  return operator;
}

/**
 * Many functions get hot at once while the heap reaches what it may grow to, and then the process ends: compilations in the
 * background want memory that only the main thread could free.
 */
const hotToTheEnd = `
  const make = (k) => new Function('n', \`let s = \${k} + 0.5;
    for (let i = 0; i < n; i++) {
      const pair = { v: i * \${k}.5, w: [i, s] };
      s += pair.v % 7.25 + pair.w.length * \${k}.125;
      if (s > 1e9) s = \${k}.75;
      if (i % 3 === 0) s += Math.sqrt(s); else s += (pair.w[0] | 0) * \${k}.3;
    }
    return s;\`);
  const kept = [];
  const functions = Array.from({ length: 600 }, (_, k) => make(k));
  const end = performance.now() + 150 + 300 * Math.random();
  for (;;) for (const each of functions) {
    kept.push({ sum: each(120), pair: [kept.length] });
    if (performance.now() > end) process.exit(0);
  }`;

test('with the flags of the image no exit waits for what only the process itself could do', async () => {
  const { nodeFlags } = await readStart();
  const each = async (): Promise<void> => {
    for (let run = 0; run < 6; run += 1) {
      const { ended } = runCommand(process.execPath, [...nodeFlags, '--input-type=module', '--eval', hotToTheEnd]);
      expect(await ended).toMatchObject({ code: 0, signal: null });
    }
  };
  await Promise.all([each(), each()]);
});

test('a second signal ends it also where its exit hangs', async () => {
  const operator = await startHanging();
  operator.signal('SIGTERM');
  await expect.poll(operator.errors).toContain('in its exit');
  operator.signal('SIGTERM');
  expect(await operator.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
});
