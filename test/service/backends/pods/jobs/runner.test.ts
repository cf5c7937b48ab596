// How the pod of a job gets its files and the permit to start: the real runner, and the real port for runs.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { usualLimits } from '../../../../../src/lib/http/http-limits.ts';
import { systemClock } from '../../../../../src/lib/system.ts';
import { anyAddress, PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { createRunnerServer, runPath } from '../../../../../src/service/backends/pods/jobs/runner-server.ts';
import { runnerHeader } from '../../../../../src/service/backends/runs/start-permit.ts';
import { writeSafely } from '../../../../../src/service/model/disk/atomic-files.ts';

const program = join(import.meta.dirname, '..', '..', '..', '..', '..', 'src', 'service', 'program', 'runner.ts');
const run = promisify(execFile);
const id = '11111111-2222-4333-8444-555555555555';
const token = 'a-random-token';
const log = { debug() {}, info() {}, warn() {}, error() {} };

let folder: string;
let runs: PodRuns;
let server: FastifyInstance;
let url: string;
/** If set, the first answer to each request for a file or for the permit does not arrive. */
let broke: Set<string> | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'runner-'));
  runs = new PodRuns(join(folder, 'runs'));
  server = createRunnerServer({ runs, limits: usualLimits, clock: systemClock, log });
  broke = undefined;
  // After the work, so that the permit is recorded. An answer that is destroyed while it waits for an earlier one on its connection would be sent all the same.
  server.addHook('onSend', async ({ url: asked }, reply, payload) => {
    if (broke !== undefined && !asked.endsWith('/files') && !broke.has(asked)) reply.raw.req.socket.destroy();
    broke?.add(asked);
    return payload;
  });
  url = await server.listen({ port: 0 });
  writeSafely(join(runs.paths(id).work, 'main.jar'), 'bytes');
  publish(runs.placeholder(id, () => 'drawn'));
  runs.token(id, () => token);
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** As a submission does it. A user has written the other line. */
function publish(placeholder: string): void {
  writeSafely(
    join(runs.paths(id).work, '.spark/run.conf'),
    `spark.driver.host=${placeholder}\nspark.app.name=${anyAddress}\n`,
  );
  runs.publish(id, ['main.jar', '.spark/run.conf'], { templates: new Set(['.spark/run.conf']), placeholder });
}

/** Resolves to what the runner printed, and its exit code. */
async function startRunner(given = token): Promise<{ readonly code: number; readonly text: string }> {
  const file = join(folder, 'token');
  writeFileSync(file, given);
  const env = {
    RUN_URL: `${url}${runPath(id)}`,
    RUN_TOKEN_FILE: file,
    RUN_FOLDER: join(folder, 'work'),
    POD_IP: '10.2.0.7',
  };
  try {
    const { stderr } = await run(process.execPath, [program], { env });
    return { code: 0, text: stderr };
  } catch (error) {
    const { code, stderr } = error as { readonly code: number; readonly stderr: string };
    return { code, text: stderr };
  }
}

const ask = (path: string, { method = 'GET', given = token } = {}) =>
  fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${given}` } });

test('a pod gets its files, with its own address in them, and starts once', async () => {
  expect(await startRunner()).toEqual({ code: 0, text: '' });
  const at = (path: string) => join(folder, 'work', path);
  expect(readFileSync(at('main.jar'), 'utf8')).toBe('bytes');
  expect(readFileSync(at('.spark/run.conf'), 'utf8')).toBe(
    `spark.driver.host=10.2.0.7\nspark.app.name=${anyAddress}\n`,
  );
  expect(statSync(at('.spark/run.conf')).mode & 0o777).toBe(0o600);
  expect(runs.decision(id)).toBe('started');
  const again = await startRunner();
  expect(again.code).toBe(1);
  expect(again.text).toContain('the run was started before, or was killed: it is never started again');
});

test('another submission does not change what a pod is about to read', async () => {
  const placeholder = runs.placeholder(id, () => 'drawn again');
  expect(placeholder).toBe(`${anyAddress}-drawn`);
  const { files } = runs.paths(id);
  const list = JSON.parse(readFileSync(files, 'utf8')) as readonly object[];
  // As an earlier release has made it.
  writeFileSync(files, JSON.stringify(list.map((file) => ({ ...file, placeholder: undefined }))));
  expect(runs.placeholder(id, () => 'drawn again')).toBe(anyAddress);
  publish(anyAddress);
  await startRunner();
  expect(readFileSync(join(folder, 'work', '.spark/run.conf'), 'utf8')).toContain('spark.driver.host=10.2.0.7\n');
});

test('the list of the files of a run is parsed once, however many files a pod gets, and again when it has changed', async () => {
  const paths = Array.from({ length: 200 }, (_, index) => `file-${index}`);
  for (const path of paths) writeSafely(join(runs.paths(id).work, path), path);
  const given = { templates: new Set<string>(), placeholder: '' };
  runs.publish(id, paths, given);
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const parsed = () => parse.mock.calls.filter(([text]) => text.startsWith('[{"path"')).length;
  for (const [index, path] of paths.entries())
    expect(await (await ask(`${runPath(id)}/files/${index}`)).text()).toBe(path);
  expect(parsed()).toBe(1);
  runs.publish(id, paths.toReversed(), given);
  expect(await (await ask(`${runPath(id)}/files/0`)).text()).toBe('file-199');
  expect(parsed()).toBe(2);
});

test('a query is not parsed at the port for jobs', async () => {
  const queries: unknown[] = [];
  const own = createRunnerServer({ runs, limits: usualLimits, clock: systemClock, log });
  onTestFinished(async () => own.close());
  own.addHook('onRequest', async ({ query }) => void queries.push(query));
  const at = await own.listen({ port: 0 });
  for (const path of ['/healthz?a=b', '/healthz?a=b#c', '/nowhere?a=b']) await fetch(`${at}${path}`);
  expect(queries).toEqual([{}, {}, {}]);
});

test('of pods that ask at the same time, one starts', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(`${runPath(id)}/start`, { method: 'POST' })));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
});

test('the permit is given once in all lives of the service', async () => {
  expect(runs.start(id)).toBe(true);
  expect(new PodRuns(join(folder, 'runs')).start(id)).toBe(false);
});

test('a run that was killed is not started, and one that was started is not barred', () => {
  expect(runs.bar(id)).toBe('killed');
  expect(runs.start(id)).toBe(false);
  const other = '99999999-2222-4333-8444-555555555555';
  runs.token(other, () => token);
  expect(runs.start(other)).toBe(true);
  expect(runs.bar(other)).toBe('started');
});

test('another token, another run and a path in place of a run get nothing', async () => {
  const other = '99999999-2222-4333-8444-555555555555';
  runs.token(other, () => 'another-token');
  const paths = [
    `${runPath(id)}/files`,
    `${runPath(id)}/files/0`,
    `${runPath('..%2f..%2fetc')}/files`,
    '/runs/%2e%2e/files',
    `${runPath('')}/files`,
  ];
  for (const path of paths) expect((await ask(path, { given: 'another-token' })).status).not.toBe(200);
  expect((await ask(`${runPath(id)}/start`, { method: 'POST', given: 'another-token' })).status).toBe(401);
  expect((await fetch(`${url}${runPath(id)}/files`)).status).toBe(401);
  expect((await ask(`${runPath(id)}/files/7`)).status).toBe(404);
  expect(runs.decision(id)).toBeUndefined();
  const refused = await startRunner('wrong');
  expect(refused.code).toBe(1);
  expect(refused.text).not.toContain('wrong');
});

test('only an identifier is a run, also for somebody who can place a token beside the runs', async () => {
  writeFileSync(join(folder, 'token'), 'outside');
  writeFileSync(join(folder, 'runs', 'token'), 'outside');
  for (const name of ['..', '.', 'constructor', `${id}.`, `${id}/..`, `../runs/${id}`])
    expect([name, runs.admits(name, 'outside'), runs.admits(name, token)]).toEqual([name, false, false]);
  expect(runs.admits(id, token)).toBe(true);
});

test('an empty token admits nobody, and is made again', async () => {
  const { token: file } = runs.paths(id);
  writeFileSync(file, '');
  for (const authorization of [undefined, 'Bearer ', 'Bearer', `Bearer ${token}`])
    for (const [method, path] of [
      ['GET', 'files'],
      ['GET', 'files/0'],
      ['POST', 'start'],
    ] as const) {
      const headers = authorization === undefined ? {} : { authorization };
      const { status } = await fetch(`${url}${runPath(id)}/${path}`, { method, headers });
      expect([authorization, path, status]).toEqual([authorization, path, 401]);
    }
  expect([runs.decision(id), runs.admits(id, '')]).toEqual([undefined, false]);
  expect(runs.token(id, () => 'made again')).toBe('made again');
  expect([readFileSync(file, 'utf8'), runs.admits(id, 'made again')]).toEqual(['made again', true]);
  expect(runs.token(id, () => 'never made')).toBe('made again');
});

test('a list of files cannot leave the folder of the run', async () => {
  const outside = join(folder, 'runs', 'outside');
  mkdirSync(join(folder, 'runs'), { recursive: true });
  writeFileSync(outside, 'unchanged');
  runs.publish(id, ['../../outside'], { templates: new Set(), placeholder: '' });
  const { code, text } = await startRunner();
  expect(code).toBe(1);
  expect(text).toContain('is not below the folder of the run');
  expect(readFileSync(outside, 'utf8')).toBe('unchanged');
  expect(runs.decision(id)).toBeUndefined();
});

test('a run that is forgotten goes with its files once its objects are gone', () => {
  runs.forget(id, 'data');
  expect(new PodRuns(join(folder, 'runs')).forgotten).toEqual([id]);
  expect(runs.namespaceOfForgotten(id)).toBe('data');
  runs.remove(id);
  expect(runs.forgotten).toEqual([]);
});

test('a file that breaks off, and a permit whose answer is lost, are asked for again by the same runner', async () => {
  broke = new Set();
  const { code, text } = await startRunner();
  const paths = ['files/0', 'files/1', 'start'];
  expect(text.trim().split('\n')).toEqual(
    paths.map((path) =>
      expect.stringMatching(`^the request to ${url}${runPath(id)}/${path} failed: .*; trying again$`),
    ),
  );
  expect([code, readFileSync(join(folder, 'work', 'main.jar'), 'utf8')]).toEqual([0, 'bytes']);
});

test('of two runners, the first gets the permit, however often it asks, also in the next life of the service', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const start = async (runner: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, [runnerHeader]: runner };
    return (await fetch(`${url}${runPath(id)}/start`, { method: 'POST', headers })).status;
  };
  expect([await start(one), await start(one), await start(other)]).toEqual([204, 204, 409]);
  const next = new PodRuns(join(folder, 'runs'));
  expect([next.start(id, one), next.start(id, other), next.start(id), next.decision(id)]).toEqual([
    true,
    false,
    false,
    'started',
  ]);
});

test('a runner that has drawn nothing gets the permit once', async () => {
  const again = () => ask(`${runPath(id)}/start`, { method: 'POST' });
  expect([(await again()).status, (await again()).status]).toEqual([204, 409]);
});
