// A service on a small volume, and what it does whatever the volume is full of.
import { existsSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { limitMs } from '../../../support/patience.ts';
import { findVolumeProblem, smallVolume } from '../../support/small-volume.ts';
import { actsAs, type Setting, SimulatedCluster, serveFiles, serveOn } from './volume-scene.ts';

export const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The tests of a full volume are skipped: ${problem}`);

export const mib = 1024 ** 2;
const patience = { timeout: limitMs, interval: 50 };

export async function open(size = '64m', setting: Setting = {}) {
  const small = smallVolume(size);
  const simulated = new SimulatedCluster();
  const service = await serveOn(small.folder, simulated, setting);
  const [a, b] = [actsAs(service.peer, 'a'), actsAs(service.peer, 'b')];
  return { ...small, simulated, ...service, a, b, urlOf: await serveFiles() };
}

export type Scene = Awaited<ReturnType<typeof open>>;

export const comes = (check: () => Promise<void> | void) => vi.waitFor(check, patience);

interface Full {
  readonly take: (scene: Scene) => void;
  /** What is said of it. */
  readonly told: string;
}

const kinds: Readonly<Record<'bytes' | 'files', Full>> = {
  bytes: { take: ({ fill }) => fill(), told: ':' },
  files: { take: ({ fillFiles }) => fillFiles(), told: ' (no more files can be made):' },
};

async function leave({ take, told }: Full): Promise<void> {
  const scene = await open('64m,nr_inodes=1000');
  const { a, b, peer, url, runs, simulated, urlOf } = scene;
  const fill = () => take(scene);
  const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(1000))];
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push(await a.run(job, cluster));
  for (const id of ids) await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
  const [ends = '', cancelled = '', deleted = ''] = ids;
  const other = await b.cluster('c');
  expect(runs.start(cancelled)).toBe(true);
  fill();
  expect(await (await fetch(`${url}/healthz`)).text()).toContain(`the volume of the data is full${told}`);
  expect((await a.execute(job, cluster)).status).toBe(507);
  expect(runs.start(ends)).toBe(true);
  simulated.end(ends);
  await comes(async () => expect((await a.infoOf(ends)).status).toBe('SUCCEEDED'));
  expect((await peer.get(a.at(`job-executions/${cancelled}/cancel`))).status).toBe(200);
  await comes(async () => expect((await a.infoOf(cancelled)).status).toBe('KILLED'));
  for (const path of [a.at(`job-executions/${deleted}`), a.at(`job-executions/${ends}`), b.at(`clusters/${other}`)]) {
    expect((await peer.remove(path)).status).toBe(204);
    await comes(async () => expect((await peer.get(path)).status).toBe(404));
    // Whatever else writes to the volume gets nothing of what has become free.
    fill();
  }
  await comes(() => expect([deleted, ends].map((id) => existsSync(runs.paths(id).folder))).toEqual([false, false]));
  expect(runs.start(deleted)).toBe(false);
}

async function startAgain({ take }: Full): Promise<void> {
  const scene = await open('64m,nr_inodes=1000');
  const { folder, simulated, close, a, empty, urlOf } = scene;
  const fill = () => take(scene);
  const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(1000))];
  const [runs, waits] = [await a.run(job, cluster), await a.run(job, cluster)];
  for (const id of [runs, waits]) await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
  fill();
  await close();
  fill();
  const next = await serveOn(folder, simulated);
  const user = actsAs(next.peer, 'a');
  expect((await next.peer.get(user.at('job-executions'))).body.job_executions).toHaveLength(2);
  expect(next.runs.start(runs)).toBe(true);
  simulated.end(runs);
  await comes(async () => expect((await user.infoOf(runs)).status).toBe('SUCCEEDED'));
  expect((await next.peer.remove(user.at(`job-executions/${waits}`))).status).toBe(204);
  await comes(async () => expect(await user.infoOf(waits)).toBeUndefined());
  empty();
  await comes(async () => expect((await user.execute(job, cluster)).status).toBe(202));
}

export function fullOf(what: keyof typeof kinds): void {
  describe.skipIf(problem !== undefined)(`a volume that is full of ${what}`, () => {
    test('lets runs start, end, be cancelled and deleted, and clusters be deleted', () => leave(kinds[what]));
    test('does not keep the service from starting, nor what was begun from going on', () => startAgain(kinds[what]));
  });
}
