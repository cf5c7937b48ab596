// What becomes of a command for a process in a pod that cannot be carried out.
import { expect, test } from 'vitest';
import { ApiError } from '../../../../src/kube/api-error.ts';
import type { Engine, EngineNode } from '../../../../src/service/engines/engine.ts';
import type { KubeObject } from '../../../../src/service/kubernetes/api/api.ts';
import { explain } from '../../../../src/service/kubernetes/api/failures.ts';
import { nodesOf } from '../../../../src/service/kubernetes/manifests/layout.ts';
import { PodPrograms } from '../../../../src/service/kubernetes/pods/pod-programs.ts';
import { Transient } from '../../../../src/service/stages/transient.ts';
import { settingOf, sparkCluster } from '../scene.ts';

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
  }).signal(worker, [node as EngineNode], signal);

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
