// The bundled service with queues: clusters and runs in pods of an API server without a node, and the port for runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { PodScene } from '../support/pods.ts';

export interface QueueScene {
  readonly scene: PodScene;
  /** Where the test plays the runner of a pod. */
  readonly runnerUrl: string;
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
