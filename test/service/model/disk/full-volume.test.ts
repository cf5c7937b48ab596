// A service on a volume that is full: it loses nothing, serves reads and deletions, says what is wrong, and recovers by itself.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { overQuotaLine } from '../../../../src/service/backends/pods/jobs/run-logs.ts';
import { outputBytes, readOutput } from '../../../../src/service/backends/runs/output.ts';
import { servedMs } from '../../../support/cpu.ts';
import { fastClock } from '../../../support/fast-clock.ts';
import { comes, fullOf, mib, open, problem, type Scene } from './full-volume.ts';
import { serveOn } from './volume-scene.ts';

const message =
  'the volume of the service is full: delete what is not needed, or ask its administrator for a larger volume';

/** What the service notes of a run has some bytes, and does not count. */
const notes = ['decision', 'namespace'];

/** What the runs have on the disk, with each file once. */
function bytesOfRuns({ folder }: Pick<Scene, 'folder'>): number {
  const names = readdirSync(join(folder, 'runs'), { recursive: true, encoding: 'utf8' });
  const files = names
    .filter((name) => !notes.includes(basename(name)))
    .map((name) => statSync(join(folder, 'runs', name)));
  const byInode = new Map(files.filter((each) => each.isFile()).map(({ ino, size }) => [ino, size]));
  return [...byInode.values()].reduce((sum, size) => sum + size, 0);
}

describe.skipIf(problem !== undefined)('runs', () => {
  test('with one file have it on the disk once, and not at all once they have started', async () => {
    const scene = await open();
    const { a, runs, urlOf } = scene;
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(12 * mib))];
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      const id = await a.run(job, cluster);
      ids.push(id);
      await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
    }
    expect(bytesOfRuns(scene)).toBeLessThan(12.1 * mib);
    for (const id of ids) expect(readFileSync(join(runs.paths(id).work, 'x.jar')).length).toBe(12 * mib);
    for (const id of ids) expect(runs.start(id)).toBe(true);
    expect(bytesOfRuns(scene)).toBeLessThan(0.1 * mib);
  });

  test('that reach the quota are refused before they are stored, with the limit, the use and the remedy', async () => {
    const { a, b, urlOf } = await open('64m', { runByteQuota: 5 * mib });
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(5 * mib))];
    const first = await a.run(job, cluster);
    await comes(async () => expect((await a.infoOf(first)).status).toBe('RUNNING'));
    const { status, body } = await a.execute(job, cluster);
    expect([status, body.error_name]).toEqual([400, 'QUOTA_ERROR']);
    expect(body.error_message).toBe(
      `cannot keep the files and outputs of more runs in tenant a: they have ${5 * mib} of ${5 * mib} bytes; delete what is not needed, or start the service with a larger --quota-run-bytes`,
    );
    const other = await b.run(await b.job('x.jar', urlOf(mib)), await b.cluster('c'));
    await comes(async () => expect((await b.infoOf(other)).status).toBe('RUNNING'));
  });

  test('whose outputs exceed the quota keep no more of them, say so, and go on', async () => {
    const scene = await open('64m', { runByteQuota: 2 * mib });
    const { a, peer, runs, simulated, urlOf } = scene;
    simulated.prints = true;
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(1000))];
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await a.run(job, cluster));
    for (const id of ids) await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
    for (const id of ids) expect(runs.start(id)).toBe(true);
    const textOf = (id: string) => readOutput(runs.paths(id).output, { from: 0, limit: 10 * mib }).text;
    for (const id of ids) await comes(() => expect(textOf(id)).toContain(overQuotaLine));
    // Each of the runs has at most one batch and the line under way.
    expect(bytesOfRuns(scene)).toBeLessThan(2 * mib + 6 * 0.3 * mib);
    const kept = bytesOfRuns(scene);
    await new Promise((resolve) => void setTimeout(resolve, 500));
    expect(bytesOfRuns(scene)).toBeLessThan(kept + 4096);
    const [first = '', second = ''] = ids;
    simulated.end(second);
    await comes(async () => expect((await a.infoOf(second)).status).toBe('SUCCEEDED'));
    expect((await a.infoOf(first)).status).toBe('RUNNING');
    // What a deletion makes free is for those that go on.
    const before = outputBytes(runs.paths(first).output);
    for (const id of ids.slice(1)) expect((await peer.remove(a.at(`job-executions/${id}`))).status).toBe(204);
    await comes(() => expect(outputBytes(runs.paths(first).output)).toBeGreaterThan(before + mib / 4));
  });

  test('whose file exceeds the quota fail, and leave nothing of it', async () => {
    const scene = await open('64m', { runByteQuota: 3 * mib });
    const { a, urlOf } = scene;
    const id = await a.run(await a.job('x.jar', urlOf(30 * mib)), await a.cluster('c'));
    await comes(async () => expect((await a.infoOf(id)).status).toBe('FAILED'));
    expect((await a.infoOf(id)).message).toMatch(
      /^cannot read job binary x.jar: .* of 3145728 bytes; .*--quota-run-bytes$/,
    );
    expect(bytesOfRuns(scene)).toBe(0);
  });
});

fullOf('bytes');

describe.skipIf(problem !== undefined)('a full volume', () => {
  test('refuses what needs room, serves reads, and is told', async () => {
    const { a, peer, url, fill, empty } = await open();
    await a.cluster('c1');
    const told = async () => ({
      health: await (await fetch(`${url}/healthz`)).text(),
      metrics: /^dataprocessing_service_volume_full (.*)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1],
      plugins: (await peer.get(a.at('plugins'))).body.volume_full,
    });
    expect(await told()).toEqual({ health: 'ok\n', metrics: '0', plugins: undefined });
    fill();
    const source = { name: 'd', type: 'hdfs', url: 'hdfs:///d' };
    const refused = await peer.post(a.at('data-sources'), source);
    expect([refused.status, refused.body]).toEqual([
      507,
      {
        error_code: 507,
        error_name: 'INSUFFICIENT_STORAGE',
        error_message: `cannot write to the data file: ${message}; nothing was changed`,
      },
    ]);
    expect((await peer.get(a.at('clusters'))).body.clusters).toHaveLength(1);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await told()).toEqual({
      health: expect.stringMatching(/^ok, but the volume of the data is full/),
      metrics: '1',
      plugins: true,
    });
    empty();
    await comes(async () => expect((await peer.post(a.at('data-sources'), source)).status).toBe(202));
    expect(await told()).toEqual({ health: 'ok\n', metrics: '0', plugins: undefined });
  });

  test('refuses new rows before the last byte is gone, and a deleted row makes room', async () => {
    const { folder, a, peer, fill, free } = await open();
    const put = async (name: string, bytes: number) =>
      await peer.put(a.at(`job-binary-internals/${name}`), JSON.stringify('x'.repeat(bytes)));
    const { id } = (await put('large', 4 * mib)).body.job_binary_internal;
    fill(mib);
    expect((await put('small', 10)).status).toBe(507);
    fill();
    const reserved = () => statSync(join(folder, 'service.db-reserve')).size;
    const before = free() + reserved();
    expect((await peer.remove(a.at(`job-binary-internals/${id}`))).status).toBe(204);
    await comes(() => expect(free() + reserved()).toBeGreaterThan(before + 3 * mib));
    expect(reserved()).toBeGreaterThan(7.9 * mib);
  });

  test('that has no reserve when the service starts blocks no deletion: what a run leaves is reserved for the next one', async () => {
    const { folder, a, peer, runs, simulated, close, fill, urlOf, free } = await open();
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(1000))];
    const [ended, started, waits] = [await a.run(job, cluster), await a.run(job, cluster), await a.run(job, cluster)];
    for (const id of [ended, started, waits])
      await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
    for (const id of [ended, started]) expect(runs.start(id)).toBe(true);
    simulated.end(ended);
    await comes(async () => expect((await a.infoOf(ended)).status).toBe('SUCCEEDED'));
    mkdirSync(runs.paths(ended).output, { recursive: true });
    writeFileSync(join(runs.paths(ended).output, '0'), Buffer.alloc(200_000));
    const binary = (await peer.put(a.at('job-binary-internals/b'), '"text"')).body.job_binary_internal.id;
    const other = await a.cluster('d');
    await close();
    rmSync(join(folder, 'service.db-reserve'));
    fill();
    const next = await serveOn(folder, simulated);
    const paths = [ended, started, waits].map((id) => `job-executions/${id}`);
    for (const path of [...paths, `job-binary-internals/${binary}`, `clusters/${other}`].map(a.at)) {
      expect(free()).toBe(0);
      expect((await next.peer.remove(path)).status).toBe(204);
      await comes(async () => expect((await next.peer.get(path)).status).toBe(404));
      // Whatever else writes to the volume gets nothing of what has become free.
      fill();
    }
    expect(next.runs.start(waits)).toBe(false);
  });

  test('lets a cluster go whose ended runs are larger together than the reserve', async () => {
    const { folder, a, runs, simulated, close, fill, urlOf } = await open('128m');
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(1000))];
    const ids: string[] = [];
    for (let count = 0; count < 45; count += 1) ids.push(await a.run(job, cluster, { args: ['x'.repeat(250_000)] }));
    for (const id of ids) {
      await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
      expect(runs.start(id)).toBe(true);
      simulated.end(id);
      await comes(async () => expect((await a.infoOf(id)).status).toBe('SUCCEEDED'));
    }
    // A new log of SQLite has no room of its own.
    await close();
    const next = await serveOn(folder, simulated);
    fill();
    expect((await next.peer.remove(a.at(`clusters/${cluster}`))).status).toBe(204);
    await comes(async () => expect((await next.peer.get(a.at(`clusters/${cluster}`))).status).toBe(404));
    expect((await next.peer.get(a.at('job-executions'))).body.job_executions).toHaveLength(ids.length);
  });

  test('gives nothing of its last room to the output of runs, which is copied when there is room', async () => {
    const scene = await open();
    const { folder, a, peer, runs, simulated, fill, empty, free, urlOf } = scene;
    simulated.prints = true;
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(1000))];
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await a.run(job, cluster));
    for (const id of ids) await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
    const [deleted = '', last = ''] = ids;
    for (const id of ids) expect(runs.start(id)).toBe(true);
    await comes(() => expect(outputBytes(runs.paths(last).output)).toBeGreaterThan(0));
    fill(mib);
    const left = () => free() + statSync(join(folder, 'service.db-reserve')).size;
    // What was being written is not stopped.
    await comes(async () => {
      const before = outputBytes(runs.paths(last).output);
      await new Promise((resolve) => void setTimeout(resolve, 300));
      expect(outputBytes(runs.paths(last).output)).toBe(before);
    });
    expect(free()).toBeGreaterThan(mib / 4);
    const [before, kept] = [left(), outputBytes(runs.paths(last).output)];
    expect((await peer.remove(a.at(`job-executions/${deleted}`))).status).toBe(204);
    await comes(async () => expect(await a.infoOf(deleted)).toBeUndefined());
    await new Promise((resolve) => void setTimeout(resolve, 1000));
    expect(left()).toBeGreaterThanOrEqual(before);
    empty();
    await comes(() => expect(outputBytes(runs.paths(last).output)).toBeGreaterThan(kept));
  });

  test('makes new runs wait, and they go on soon after there is room', async () => {
    const clock = fastClock(2);
    const { a, simulated, fill, empty, urlOf } = await open('64m', { clock });
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(30 * mib))];
    fill(20 * mib);
    const id = await a.run(job, cluster);
    await comes(async () => expect((await a.infoOf(id)).message).toContain(`${message}; trying again`));
    fill();
    // It has tried after 1, 3 and 7 s, so without a wake-up it waits until 15 s.
    await new Promise<void>((resolve) => void clock.after(8000, resolve));
    expect([(await a.infoOf(id)).status, simulated.jobs.size]).toEqual(['PENDING', 0]);
    empty();
    const begin = servedMs();
    await comes(async () => expect((await a.infoOf(id)).status).toBe('RUNNING'));
    expect(servedMs() - begin).toBeLessThan(clock.real(5000));
  });

  test('leaves nothing of a download that runs into it', async () => {
    const scene = await open();
    const { a, runs, fill, urlOf, free } = scene;
    const [cluster, job] = [await a.cluster('c'), await a.job('x.jar', urlOf(30 * mib))];
    fill(10 * mib);
    const before = free();
    const id = await a.run(job, cluster);
    await comes(async () => expect((await a.infoOf(id)).message).toContain('trying again'));
    await comes(() => expect(existsSync(runs.paths(id).incoming)).toBe(false));
    expect(before - free()).toBeLessThan(0.1 * mib);
  });
});
