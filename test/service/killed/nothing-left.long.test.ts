// Clusters and jobs leave nothing behind, although the service is killed while they are made, while they run, and while they are removed.
import { expect, test } from 'vitest';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { nothingIsLeft } from './round.ts';
import { MortalScene, networkOf } from './scene.ts';

test('four clusters and four jobs', async () => {
  const scene = await MortalScene.open({ is: 'tiny' });
  const clusters = await Promise.all(Array.from({ length: 4 }, () => scene.createCluster()));
  await scene.comes(() => expect(scene.processes().length).toBeGreaterThan(4));
  await scene.restart();
  const networks: string[] = [];
  for (const id of clusters) networks.push(networkOf(await scene.untilActive(id)));
  expect(scene.processes()).toHaveLength(16);

  // One of two ends by itself.
  const runs = await Promise.all(clusters.map((id, index) => scene.execute(id, index % 2 ? 'sleep 1000' : 'exit 0')));
  await scene.comes(async () => expect(await scene.statusOf(runs.at(-1) ?? '')).toBe('RUNNING'));
  await scene.restart();
  const ends = runs.map((_, index) => (index % 2 ? 'RUNNING' : 'SUCCEEDED'));
  await scene.comes(async () => expect(await Promise.all(runs.map((run) => scene.statusOf(run)))).toEqual(ends));

  for (const id of clusters) await scene.peer.remove(`${base}/clusters/${id}`);
  await scene.restart();
  for (const id of clusters) await scene.untilGone(`clusters/${id}`);
  await nothingIsLeft(scene, networks, runs);
});
