// What `npm run contract` finds out about a service before it tries anything.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/lib/system.ts';
import { createSeededRandom } from '../../src/service/model/records/identifiers.ts';
import { createServer } from '../../src/service/program/server.ts';
import { bundledScene } from './foreign/command/description.ts';
import { explore, guessProcesses } from './foreign/command/explore.ts';
import { readOrder } from './foreign/command/flags.ts';
import { images, startOther } from './foreign/other-service.ts';

const token = 'a-token';
const ask = (endpoint: string, ...flags: readonly string[]) => {
  const order = readOrder(['--endpoint', endpoint, '--token', token, ...flags]);
  if (order === undefined) throw new Error('only help was asked for');
  return explore({ ...order.access, ...order.terms }, order.wishes);
};

async function startOurs(): Promise<string> {
  const server = createServer({ clock: systemClock, random: createSeededRandom(3), grants: [{ token }] });
  onTestFinished(() => server.close());
  return server.start();
}

test('the bundled service is recognized without a token, and tried as it always was', async () => {
  expect(await ask(await startOurs())).toEqual({ ours: true, scene: bundledScene });
});

test('another plugin of it is described by itself', async () => {
  const { ours, scene } = await ask(await startOurs(), '--plugin', 'spark', '--version', '1.6.0');
  expect(ours).toBe(true);
  expect(scene).toMatchObject({ plugin: 'spark', version: '1.6.0', masters: ['namenode', 'master'], bundled: false });
});

test.each(['neutral', 'sahara', 'savanna'] as const)('another service shows what it has: %s', async (dialect) => {
  const endpoint = await startOther(dialect, token);
  const { ours, scene } = await ask(endpoint, '--flavor', '77777', '--dialect', dialect);
  expect(ours).toBe(false);
  expect(scene).toMatchObject({
    plugin: 'beehive',
    version: '9.0',
    masters: ['queen-coordinator'],
    workers: ['bee-worker'],
    flavors: { workers: '77777', large: '77777' },
    image: images.ready,
    imageTags: ['honey'],
    options: {
      text: { target: 'Swarm', name: expect.any(String), only: expect.stringMatching(/^[46]$/) },
      flag: undefined,
    },
    jobTypes: dialect === 'sahara' ? expect.arrayContaining(['Pig', 'Shell']) : undefined,
  });
});

test.each([
  [['--plugin', 'vanilla'], 'cannot begin: there is no plugin vanilla: it has beehive'],
  [['--version', '1'], 'cannot begin: plugin beehive has no version 1: it has 9.0'],
  [['--worker-processes', 'drone, cat'], 'cannot begin: plugin beehive has no process cat: it has '],
  [[], 'cannot begin: the service has no flavor 2: choose one with --flavor'],
])('%j: told what is wrong', async (flags, problem) => {
  await expect(ask(await startOther('neutral', token), ...flags)).rejects.toThrow(problem);
});

test('flags choose', async () => {
  const chosen = ['--master-processes', 'guard', '--worker-processes', 'drone,bee-worker', '--flavor', '88888'];
  const { ours, scene } = await ask(await startOther('neutral', token), ...chosen, '--ours', 'yes', '--keypair', 'k');
  expect(ours).toBe(true);
  expect(scene).toMatchObject({ masters: ['guard'], workers: ['drone', 'bee-worker'], keypair: 'k' });
  expect(scene.flavors.workers).toBe('88888');
});

describe('processes are told apart by their names', () => {
  test.each([
    [['namenode', 'secondarynamenode', 'datanode'], ['namenode'], ['datanode']],
    [
      ['namenode', 'datanode', 'master', 'slave'],
      ['namenode', 'master'],
      ['datanode', 'slave'],
    ],
    [['nimbus', 'supervisor'], ['nimbus'], ['supervisor']],
    [['one', 'two', 'three'], ['one'], ['three']],
    [['only'], ['only'], ['only']],
  ])('%j', (all, masters, workers) => {
    expect(guessProcesses(all)).toEqual({ masters, workers });
  });
});
