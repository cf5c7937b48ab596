// The bundled service with queues: clusters and runs in pods of an API server without a node, and the port for runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { startKueue } from '../../support/kueue/kueue.ts';
import { testLimitMs } from '../../support/patience.ts';
import { PodScene } from '../support/pods.ts';

export interface QueueScene {
  readonly scene: PodScene;
  /** Where the test plays the runner of a pod. */
  readonly runnerUrl: string;
}

/** For the tests of a block: an API server with Kueue. Returns where its kubeconfig is, once it runs. */
export function withKueue(program: string | undefined): () => string {
  let plane: Plane;
  let stop = async (): Promise<void> => undefined;
  beforeAll(async () => {
    plane = await startPlane({ controllerManager: true });
    stop = await startKueue(program ?? '', plane);
  }, testLimitMs);
  afterAll(async () => {
    await stop();
    await plane.stop();
  });
  return () => plane.kubeconfig;
}

/** `queue`: that of all machines. `jobQueues`: those that jobs can name. */
export async function openQueueScene(
  kubeconfig: string,
  { queue, jobQueues }: { readonly queue?: string; readonly jobQueues?: readonly string[] },
): Promise<QueueScene> {
  const folder = mkdtempSync(join(tmpdir(), 'queues-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'flavors.json');
  writeFileSync(file, JSON.stringify({ flavors: { 2: { cores: 2, memoryMiB: 2048, queue } }, jobQueues }));
  const [port = 0] = await pickPorts(1);
  const flags = ['--flavors-file', file, '--runner-port', `${port}`];
  const scene = await PodScene.open(kubeconfig, undefined, flags);
  return { scene, runnerUrl: `http://127.0.0.1:${port}` };
}
