// Ten clusters and ten jobs leave nothing behind, whether the service was killed meanwhile or not.
import { expect, test } from 'vitest';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { nothingIsLeft } from './round.ts';
import { MortalScene, networkOf } from './scene.ts';

test.each([
  { isKilled: false, title: 'undisturbed' },
  { isKilled: true, title: 'killed while clusters are made, while jobs run, and while both are removed' },
])('ten clusters and ten jobs, $title', async ({ isKilled }) => {
  const scene = await MortalScene.open({ is: 'tiny' });
  const killed = async () => {
    if (isKilled) await scene.restart();
  };
  const clusters = await Promise.all(Array.from({ length: 10 }, () => scene.createCluster()));
  await scene.comes(() => expect(scene.processes().length).toBeGreaterThan(4));
  await killed();
  const networks: string[] = [];
  for (const id of clusters) networks.push(networkOf(await scene.untilActive(id)));
  expect(scene.processes()).toHaveLength(40);

  // One of two ends by itself.
  const runs = await Promise.all(clusters.map((id, index) => scene.execute(id, index % 2 ? 'sleep 1000' : 'exit 0')));
  await scene.comes(async () => expect(await scene.statusOf(runs.at(-1) ?? '')).toBe('RUNNING'));
  await killed();
  const ends = runs.map((_, index) => (index % 2 ? 'RUNNING' : 'SUCCEEDED'));
  await scene.comes(async () => expect(await Promise.all(runs.map((run) => scene.statusOf(run)))).toEqual(ends));

  for (const id of clusters) await scene.peer.remove(`${base}/clusters/${id}`);
  await killed();
  for (const id of clusters) await scene.untilGone(`clusters/${id}`);
  await nothingIsLeft(scene, networks, runs);
});
