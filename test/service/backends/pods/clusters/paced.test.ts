// How often the processes of pods are asked whether they can be used: through the API server, perhaps for many clusters at a time.
import { expect, test } from 'vitest';
import { waitFor } from '../../../../../src/service/engines/probes.ts';
import { ManualClock } from '../../../../support/clock.ts';

const minute = 60_000;
const probe = { url: 'http://pod/json/', wanted: 'it answers', holds: () => true };

function wait() {
  const clock = new ManualClock();
  const scene = { asked: 0, isUp: false };
  const get = async () => {
    scene.asked += 1;
    if (!scene.isUp) throw new Error('ECONNREFUSED');
    return { ok: true, text: '{}' };
  };
  const { signal } = new AbortController();
  const waiting = waitFor(probe, { clock, get, signal, isPaced: true });
  return { clock, scene, waiting };
}

test('20 clusters that do not answer cost at most two requests a second after two minutes', async () => {
  const { clock, scene } = wait();
  await clock.advance(2 * minute);
  scene.asked = 0;
  await clock.advance(10 * minute);
  expect(20 * scene.asked).toBeLessThanOrEqual(2 * 600);
});

test.each([300, 5000, 30_000])('what answers after %i ms is noticed within a tenth of that more', async (ms) => {
  const { clock, scene, waiting } = wait();
  await clock.advance(ms);
  scene.isUp = true;
  await clock.advance(Math.max(ms / 10, 200));
  await waiting;
});
