// Commands for processes in pods: what becomes of them when they cannot be carried out, and whom the signals of a drain reach.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ApiError } from '../../../../../src/kube/api-error.ts';
import type { KubeObject } from '../../../../../src/service/backends/pods/api/api.ts';
import { explain } from '../../../../../src/service/backends/pods/api/failures.ts';
import { PodPrograms } from '../../../../../src/service/backends/pods/clusters/pod-programs.ts';
import { nodesOf } from '../../../../../src/service/backends/pods/manifests/layout.ts';
import type { Engine, EngineNode } from '../../../../../src/service/engines/engine.ts';
import { Transient } from '../../../../../src/service/model/disk/transient.ts';
import { limitMs } from '../../../../support/patience.ts';
import { settingOf, sparkCluster } from './scene.ts';

const setting = settingOf(sparkCluster());
const worker = setting.engine.processes.find(({ name }) => name === 'slave') as Engine['processes'][number];
const [node] = nodesOf(sparkCluster(1), setting.place).filter(({ processes }) => processes.includes('slave'));
const { signal } = new AbortController();

const podWith = (state: object): KubeObject =>
  ({ metadata: { name: 'p', namespace: 'data' }, status: { containerStatuses: [{ name: 'slave', state }] } }) as never;

const neverAllowed = { hasWorked: false, refusedMs: 60_000 };

/** Sends the signal, with an API server that rejects the command. */
const signalWith = (category: ApiError['category'], pod: KubeObject | undefined): Promise<void> =>
  new PodPrograms({
    exec: () => Promise.reject(explain(new ApiError(category, `it is ${category}`), neverAllowed)),
    get: async () => pod as never,
  }).signal(worker, node as EngineNode, signal);

test.each([
  ['the pod is gone', undefined],
  ['its container starts anew', podWith({ waiting: { reason: 'CrashLoopBackOff' } })],
] as const)('there is nothing to drain if %s', async (_why, pod) => {
  await expect(signalWith('unreachable', pod)).resolves.toBeUndefined();
});

test('a process that runs is told again if the API server does not answer', async () => {
  await expect(signalWith('unreachable', podWith({ running: {} }))).rejects.toThrow(Transient);
});

test.each(['forbidden', 'invalid'] as const)('a command that is %s is told', async (category) => {
  const told = signalWith(category, podWith({ running: {} }));
  await expect(told).rejects.toThrow(`it is ${category}`);
  await expect(told).rejects.not.toThrow(Transient);
});

test('what the process has started gets the signal of a drain, and nobody else does', async () => {
  // A child with a strange name, and one with a child of its own.
  const children = `exec -a 'a ) 1 b' sleep 60 & one=$!; sh -c 'sleep 60 & echo $!; wait' & two=$!`;
  const script = `${children}; wait $one; echo $?; wait $two; echo $?`;
  const parent = spawn('/bin/bash', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const told: string[] = [];
  parent.stdout.on('data', (text: Buffer) => told.push(...text.toString('utf8').trim().split('\n')));
  await vi.waitFor(() => expect(told).toHaveLength(1), limitMs);
  const grandchild = Number(told[0]);
  onTestFinished(() => void process.kill(grandchild, 'SIGKILL'));
  const programs = new PodPrograms({
    // In a container, the process is the first one.
    exec: async (_place, command) => {
      expect(command.at(-2)).toBe('1');
      const [file = '', ...args] = command.with(-2, `${parent.pid}`);
      return (await promisify(execFile)(file, args)).stdout;
    },
    get: async () => undefined,
  });
  await programs.signalChildren(worker, node as EngineNode, signal);
  const powerFailure = `${128 + constants.signals.SIGPWR}`;
  await vi.waitFor(() => expect(told.slice(1)).toEqual([powerFailure, powerFailure]), limitMs);
  expect(process.kill(grandchild, 0)).toBe(true);
});

test('only the process that was told to hand over its work is ended, so that its pod starts another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drained-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const start = () => {
    const script = `trap '' PWR; echo ready; while :; do sleep 0.1; done`;
    const process = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void process.kill('SIGKILL'));
    return process;
  };
  let first = start();
  const programs = new PodPrograms({
    exec: async (_place, command) => {
      const [file = '', ...args] = command.with(-2, `${first.pid}`);
      return (await promisify(execFile)(file, args)).stdout;
    },
    get: async () => undefined,
  });
  const here = { ...(node as EngineNode), folder };
  const endDrained = () => programs.endDrained(setting.engine, [here], signal);
  await vi.waitFor(() => expect(first.stdout.read()).not.toBeNull(), limitMs);
  await endDrained();
  await programs.signal(worker, here, signal);
  expect(first.exitCode ?? first.signalCode).toBeNull();
  await endDrained();
  await vi.waitFor(() => expect(first.signalCode).toBe('SIGTERM'), limitMs);
  first = start();
  await endDrained();
  expect(first.exitCode ?? first.signalCode).toBeNull();
});
