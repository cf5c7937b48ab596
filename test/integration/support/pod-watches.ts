// How often the bundled service asks a real API server about clusters and runs in pods.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { PodScene } from './pods.ts';

/** In ms of real time. The clock of the service runs ten times as fast. */
export const quietMs = 2_000;

/**
 * What the service has asked meanwhile, besides its watches. To the fast clock, the API server can look as if it had fallen silent, which has everything listed
 * once more: what is expected of a time in which nothing else happens comes true in one of the next.
 */
async function askedDuring({ proxy }: PodScene, act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = proxy.passed.length;
  await act();
  const asked = proxy.passed.slice(before).filter(({ watch }) => !watch);
  return asked.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
}

const statusesOf = (scene: PodScene, executions: readonly string[]) =>
  Promise.all(executions.map(async (each) => (await scene.execution(each)).info.status));

const succeeded = async (scene: PodScene, executions: readonly string[]) =>
  (await statusesOf(scene, executions)).filter((status) => status === 'SUCCEEDED').length;

/** With so many of both. */
export function asksNothing(runs: number, waiting: number): void {
  const title = `asks the API server nothing while ${runs} executions run and ${waiting} clusters wait`;
  test.skipIf(inject('kubeconfig') === '')(title, async () => {
    const scene = await PodScene.open();
    const id = await scene.activeCluster();
    // The output of a run is one open request.
    const end = scene.proxy.rule({ behave: 'swallow', path: /\/log$/ });
    const job = await scene.createJob();
    const executions: string[] = [];
    for (let each = 0; each < runs; each += 1) executions.push(await scene.execute(id, job));
    await scene.comes(async () => expect(await scene.list('batch/v1 jobs')).toHaveLength(runs));
    const pods = await scene.startPrograms();
    for (let each = 0; each < waiting; each += 1) await scene.createCluster(`waiting-${each}`);
    await scene.comes(async () => expect(await scene.list('apps/v1 statefulsets')).toHaveLength(2 + waiting));
    await scene.comes(async () => expect(scene.proxy.seen({ path: /\/log$/ })).toHaveLength(runs));
    await scene.comes(async () => expect(await askedDuring(scene, () => pause(quietMs))).toEqual([]));
    await scene.comes(async () => expect(scene.proxy.watches()).toHaveLength(8));
    expect(new Set(await statusesOf(scene, executions))).toEqual(new Set(['RUNNING']));

    end();
    const left = new Set(pods);
    const oneEnds = async () => {
      const [pod = ''] = left;
      left.delete(pod);
      await scene.setProgram(pod, { terminated: { exitCode: 0 } });
      await scene.comes(async () => expect(await succeeded(scene, executions)).toBe(runs - left.size));
    };
    await scene.comes(async () => expect(await askedDuring(scene, oneEnds)).toEqual(['GET log']));
  });
}
