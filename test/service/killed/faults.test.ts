// What a computer can do to clusters besides killing the service: ports that are taken.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../contract/peer.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { port } from '../backends/processes/clusters/tiny-engine.ts';
import { portsAt } from '../support/listening.ts';
import { nothingIsLeft } from './round.ts';
import { MortalScene, networkOf, workersOf } from './scene.ts';

/** The cluster is in use, and says why it is as it was. */
const failsToScale = (scene: MortalScene, id: string, why: string): Promise<Json> =>
  scene.comes(async () => {
    const cluster = await scene.cluster(id);
    expect(cluster).toMatchObject({ status: 'Active', status_description: expect.stringContaining(why) });
    return cluster;
  });

async function removed(scene: MortalScene, id: string): Promise<void> {
  const network = networkOf(await scene.cluster(id));
  await scene.peer.remove(`${base}/clusters/${id}`);
  await scene.untilGone(`clusters/${id}`);
  await nothingIsLeft(scene, [network], []);
}

test('a taken port fails the scale with its name, also if somebody answers there, and the machine is started once it is free', async () => {
  const scene = await MortalScene.open({ is: 'tiny' });
  const id = await scene.createCluster();
  const network = networkOf(await scene.untilActive(id));
  const foreign = createServer((_, answer) => answer.end(JSON.stringify({ alive: [], drained: true })));
  const address = `${network}3`;
  await new Promise<void>((resolve) => foreign.listen(port, address, resolve));
  onTestFinished(() => void foreign.close());
  await scene.scale(id, 2);
  await failsToScale(scene, id, `EADDRINUSE: address already in use ${address}:${port}`);
  foreign.closeAllConnections();
  await new Promise((resolve) => foreign.close(resolve));
  await scene.comes(() => expect(portsAt([address])).toEqual([port]));
  expect(workersOf(await scene.cluster(id))).toHaveLength(2);
  await removed(scene, id);
});
