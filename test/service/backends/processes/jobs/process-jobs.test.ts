// Real processes: the battery of engines, and what only processes can do wrong.
import { spawn } from 'node:child_process';
import nodeFs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import type { JobEngine, RunOrder, RunReport } from '../../../../../src/service/backends/job-engine.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { lookNow } from '../../../../../src/service/backends/processes/clusters/sight.ts';
import type { ObservedRun } from '../../../../../src/service/engines/engine.ts';
import { Interruption } from '../../../../../src/service/model/stages/interruption.ts';
import { servedMs } from '../../../../support/cpu.ts';
import { limitMs } from '../../../../support/patience.ts';
import { engineBattery } from '../../../provisioning/battery.ts';
import { tinyEngine } from '../clusters/tiny-engine.ts';
import { openJobs, orderOf, script } from './job-scene.ts';

const counted = 'echo start >> "$STARTS"; while [ ! -e "$END" ]; do sleep 0.05; done';

/** The battery can run several times at once on one computer, and a run is found by its identifier. */
const ours = (id: string): string => `${id}-of-${process.pid}`;

describe('the battery of engines', () => {
  engineBattery(() => {
    const { root, create, files } = openJobs();
    const [starts, end] = [join(root, 'starts'), join(root, 'end')];
    const countStarts = () => (existsSync(starts) ? readFileSync(starts, 'utf8').split('\n').length - 1 : 0);
    // The orders of the battery are for no special engine.
    const fill = <Order extends RunOrder>(order: Order): Order => {
      const { cluster, mains } = orderOf(script(counted));
      const job_configs = { params: { STARTS: starts, END: end } };
      return { ...order, cluster, mains, job_configs, execution: { ...order.execution, id: ours(order.execution.id) } };
    };
    const engine = (): JobEngine => {
      const jobs = create();
      return {
        async submit(order) {
          const id = await jobs.submit(fill(order));
          // The program counts its start a moment after its process was recorded.
          await vi.waitFor(() => expect(countStarts()).toBeGreaterThan(0), limitMs);
          return id;
        },
        finish: (order) => jobs.finish(fill(order)),
        kill: (order) => jobs.kill({ ...order, execution: { id: ours(order.execution.id) } }),
        runsOn: async (order) => {
          const found = await jobs.runsOn(order);
          return found.map((run) => ({ ...run, id: run.id.replace(ours(''), '') }));
        },
        logs: (order, range) => jobs.logs(fill(order), range),
        forget: ({ execution }) => jobs.forget({ execution: { id: ours(execution.id) } }),
      };
    };
    return {
      engine,
      starts: countStarts,
      isRunning: (id) => lookNow().ofRun(ours(id), readRecord(files.paths(ours(id)).decision)).length > 0,
      finish: () => writeFileSync(end, ''),
    };
  });
});

const submitted = async (text: string, given: Parameters<typeof orderOf>[1] = {}) => {
  const scene = openJobs();
  const jobs = scene.create();
  const order = orderOf(script(text), given);
  const id = await jobs.submit(order);
  return { ...scene, jobs, order, id, paths: scene.files.paths(order.execution.id) };
};

const all = { from: 0, limit: 1_000_000 };

interface Left {
  readonly files: ReturnType<typeof openJobs>['files'];
  readonly id: string;
}

describe('a run', () => {
  test('gets its arguments and params, has its libs beside it, and ends with its exit code', async () => {
    const text = 'echo "$1 $WORD $(cat words.txt)"; echo "there is no hope" >&2; exit 3';
    const libs = [script('from a library', 'words.txt')];
    const { jobs, order } = await submitted(text, { libs, args: ['hello'], params: { WORD: 'world' } });
    expect(await jobs.finish(order)).toEqual({ status: 'FAILED', returnCode: 3, message: 'there is no hope' });
    expect(await jobs.logs(order, all)).toEqual({
      text: 'hello world from a library\nthere is no hope\n',
      next: 44,
      total: 44,
    });
  });

  test('has its files under their own names, which binaries of the service need not have', async () => {
    const libs = [{ ...script('from a library', 'generated-abc.txt'), file_name: 'words.txt' }];
    const { jobs, order, paths } = await submitted(`echo "$0 $(cat words.txt) $(ls)"`, { libs });
    expect(await jobs.finish(order)).toMatchObject({ status: 'SUCCEEDED' });
    const main = join(paths.work, 'main.sh');
    expect((await jobs.logs(order, all))?.text).toBe(`${main} from a library main.sh\nwords.txt\n`);
  });

  test('gets its variables as they are, and they have no effect before it begins and after it ends', async () => {
    const params = {
      // Variables of shells, of programs that shells call, and of what bounds the output.
      ...Object.fromEntries(
        ['code', 'node', 'writer', 'output', 'bytes', 'low', 'i', 'n'].map((name) => [name, 'own']),
      ),
      PATH: '/nowhere',
      NODE_OPTIONS: '--nonsense',
      LD_PRELOAD: '',
      ENV: '/nowhere/env',
      HOME: "it's $HOME `x` \\ $(x)",
      LINES_: 'first\n second\n',
    };
    const names = Object.keys(params);
    const text = `${names.map((name) => `printf '%s|' "$${name}"`).join('; ')}; set > /dev/null; exit 3`;
    const { jobs, order, paths } = await submitted(text, { params });
    expect(await jobs.finish(order)).toMatchObject({ status: 'FAILED', returnCode: 3 });
    const { text: printed } = (await jobs.logs(order, all)) ?? {};
    expect(printed).toBe(names.map((name) => `${Reflect.get(params, name)}|`).join(''));
    expect(existsSync(paths.exitCode)).toBe(true);
  });

  test('has no other variables than its own and those of every run', async () => {
    const { jobs, order, id } = await submitted('/usr/bin/env', { params: { WORD: 'hello' } });
    await jobs.finish(order);
    const { text = '' } = (await jobs.logs(order, all)) ?? {};
    const names = text.split('\n').flatMap((line) => line.split('=')[0] || []);
    expect(names.toSorted()).toEqual(expect.arrayContaining(['DATAPROCESSING_RUN', 'WORD']));
    expect(names.filter((name) => name.startsWith('DATAPROCESSING_'))).toEqual(['DATAPROCESSING_RUN']);
    expect(text).toContain(`DATAPROCESSING_RUN=${order.execution.id}\n`);
    expect(id).toMatch(/^\d+$/);
  });

  test('that writes nothing ends with its exit code, also when a signal ended it', async () => {
    const { jobs, order } = await submitted('exit 5');
    expect((await jobs.finish(order)).message).toBe('the program ended with exit code 5');
    const other = await submitted('kill -9 $$');
    expect(await other.jobs.finish(other.order)).toMatchObject({ status: 'FAILED', returnCode: 137 });
  });

  test.each([
    ['while the kernel ends programs for lack of memory', 'kill -9 $$', 1, 'OOMKilled'],
    ['while it does not', 'kill -9 $$', 0, undefined],
    ['with another signal', 'kill -15 $$', 1, undefined],
    ['where nobody counts', 'kill -9 $$', undefined, undefined],
  ])('that is killed %s', async (_when, end, more, cause) => {
    let count: number | undefined = more === undefined ? undefined : 7;
    const scene = openJobs({ oomCount: () => () => count });
    const started = join(scene.root, 'started');
    const order = orderOf(script(`: > ${started}; while [ -e ${started} ]; do sleep 0.05; done; ${end}`));
    const jobs = scene.create();
    await jobs.submit(order);
    const finishing = jobs.finish(order);
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), limitMs);
    count = more === undefined ? undefined : 7 + more;
    rmSync(started);
    const { cause: told, message } = await finishing;
    expect(told).toBe(cause);
    expect(message?.startsWith('the kernel ended the program, because memory ran out: ')).toBe(cause !== undefined);
  });

  test('whose processes are killed by others is FAILED, and is not started again', async () => {
    const { jobs, order, id, create } = await submitted('sleep 1000');
    process.kill(-Number(id), 'SIGKILL');
    expect(await jobs.finish(order)).toEqual({
      status: 'FAILED',
      message: 'its process ended without an exit code',
      cause: 'Lost',
    });
    expect(await create().submit(order)).toBe(id);
    expect(await create().finish(order)).toMatchObject({ status: 'FAILED' });
  });

  test('that has the recorded identifier but another start time is a foreign process, which is left alone', async () => {
    const { order, id, paths, create } = await submitted('sleep 1000');
    process.kill(-Number(id), 'SIGKILL');
    const foreign = spawn('/bin/sleep', ['1000'], { detached: true });
    onTestFinished(() => void foreign.kill());
    writeFileSync(paths.decision, `${foreign.pid} (sleep) S ${'0 '.repeat(18)}12345 0`);
    // The next life of the service knows no more than what is recorded.
    const next = create();
    expect(await next.finish(order)).toEqual({
      status: 'FAILED',
      message: 'its process ended without an exit code',
      cause: 'Lost',
    });
    await next.kill(order);
    expect([foreign.exitCode, foreign.signalCode]).toEqual([null, null]);
    expect(existsSync(`/proc/${foreign.pid}`)).toBe(true);
  });

  test('that is killed leaves no process behind, not even one without its mark', async () => {
    const text = 'trap "" TERM; sleep 1001 & env -i sleep 1002 & setsid sleep 1003 & wait; while :; do sleep 0.1; done';
    const { jobs, order, id } = await submitted(text);
    const record = { pid: Number(id), startedAt: readRecordOf(id) };
    await vi.waitFor(() => expect(lookNow().ofRun(order.execution.id, record).length).toBeGreaterThan(5), limitMs);
    const before = servedMs();
    await jobs.kill(order);
    expect(servedMs() - before).toBeLessThan(6000);
    expect(sleepers()).toEqual([]);
    expect(lookNow().ofRun(order.execution.id, undefined)).toEqual([]);
  });

  test('that ends leaves no process behind either', async () => {
    const { jobs, order } = await submitted('setsid sleep 1004 & exit 0');
    expect(await jobs.finish(order)).toEqual({ status: 'SUCCEEDED', returnCode: 0 });
    expect(sleepers()).toEqual([]);
  });

  test('whose end is stored keeps its output and its exit code only, also when the service ended meanwhile', async () => {
    const { jobs, order, files, paths } = await submitted('echo printed; exit 3');
    const end = await jobs.finish(order);
    expect(files.bytes(order.execution.id)).toBeGreaterThan('printed\n'.length);
    jobs.release(order);
    // At once: whoever measures in the next moment would remember it as kept.
    expect(files.bytes(order.execution.id)).toBe('printed\n'.length);
    await vi.waitFor(() => expect(files.gone).toEqual([]), limitMs);
    expect([await jobs.finish(order), (await jobs.logs(order, all))?.text]).toEqual([end, 'printed\n']);

    mkdirSync(paths.work);
    writeFileSync(paths.incoming, 'a part');
    await files.clean();
    expect([existsSync(paths.work), existsSync(paths.incoming)]).toEqual([false, false]);
    expect(await jobs.finish(order)).toEqual(end);
  });

  test.each([
    ['was barred', ({ files, id }: Left) => void files.bar(id)],
    ['has left no exit code', ({ files, id }: Left) => writeFileSync(files.paths(id).ended, '')],
  ])(
    'whose end is stored, and that %s, keeps no file that it needed when the service ended meanwhile',
    async (_how, end) => {
      const { files } = openJobs();
      const id = 'run';
      files.make(id, 'cluster-1');
      const { work, incoming } = files.paths(id);
      for (const file of [join(work, 'main.sh'), incoming]) writeFileSync(file, 'text');
      await files.clean();
      expect([existsSync(work), existsSync(incoming)]).toEqual([true, false]);
      end({ files, id });
      await files.clean();
      expect([existsSync(work), files.bytes(id), files.gone]).toEqual([false, 0, []]);
    },
  );

  test('that is forgotten leaves no file behind, not even when the service ended meanwhile', async () => {
    const { jobs, order, root, create, files, paths } = await submitted('exit 0');
    await jobs.finish(order);
    mkdirSync(join(paths.folder, '..', '.gone-other'));
    jobs.forget(order);
    expect(existsSync(paths.folder)).toBe(false);
    create();
    await files.sweep();
    expect(readdirSync(root)).toEqual([]);
  });

  test('whose folder cannot be moved away is removed later', async () => {
    const waiting: (() => void)[] = [];
    const after = (_ms: number, callback: () => void) => {
      waiting.push(callback);
      return () => {};
    };
    const { files, create } = openJobs({ clock: { ...systemClock, after } });
    const { execution } = orderOf();
    files.make(execution.id, 'cluster-1');
    const fails = vi.spyOn(nodeFs, 'fsyncSync').mockImplementation(() => {
      throw new Error('EIO');
    });
    onTestFinished(() => fails.mockRestore());
    create().forget({ execution });
    expect([waiting.length, files.gone]).toEqual([1, [execution.id]]);
    waiting.pop()?.();
    expect([waiting.length, files.gone]).toEqual([1, [execution.id]]);
    fails.mockRestore();
    waiting.pop()?.();
    await vi.waitFor(() => expect(files.gone).toEqual([]), limitMs);
    expect(waiting).toEqual([]);
  });

  test('that is forgotten does not come back after a power loss', () => {
    const { files, create } = openJobs();
    const { execution } = orderOf();
    files.make(execution.id, 'cluster-1');
    const seen: unknown[] = [];
    const sync = nodeFs.fsyncSync;
    const watch = vi.spyOn(nodeFs, 'fsyncSync').mockImplementation((file) => {
      seen.push(readdirSync(`/proc/self/fd/${file}`));
      sync(file);
    });
    onTestFinished(() => watch.mockRestore());
    create().forget({ execution });
    expect(seen).toEqual([[`.gone-${execution.id}`]]);
  });

  test('sees nothing of the environment of the service, and its files are its own', async () => {
    process.env['SECRET_OF_THE_SERVICE'] = 'hunter2';
    onTestFinished(() => void Reflect.deleteProperty(process.env, 'SECRET_OF_THE_SERVICE'));
    const { jobs, order, paths } = await submitted('env');
    await jobs.finish(order);
    expect((await jobs.logs(order, all))?.text).not.toContain('hunter2');
    for (const file of [join(paths.folder, '..'), paths.folder, join(paths.output, '0'), join(paths.work, 'main.sh')])
      expect(statSync(file).mode & 0o077, file).toBe(0);
  });

  test('goes on if it started while the next life of the service gathered its files in vain', async () => {
    const { create, root } = openJobs();
    const [order, end] = [orderOf(script('until test -e "$END"; do sleep 0.05; done')), join(root, 'end')];
    const job_configs = { params: { END: end } };
    const first = create();
    let isStarted: Promise<string> | undefined;
    const bytes = async function* () {
      isStarted = first.submit({ ...order, job_configs });
      await isStarted;
      yield* [];
      throw new Error('the file is gone');
    };
    const next = create({ download: async () => ({ status: 200, bytes: bytes() }) });
    const mains = order.mains.map((main) => ({ ...main, url: 'http://files/main.sh' }));
    const id = await next.submit({ ...order, mains, job_configs });
    expect(id).toBe(await isStarted);
    writeFileSync(end, '');
    expect(await next.finish(order)).toEqual({ status: 'SUCCEEDED', returnCode: 0 });
  });

  test('is not started when its wait for a download is interrupted', async () => {
    const { create } = openJobs();
    const controller = new AbortController();
    const read = () => {
      controller.abort(new Interruption('superseded', 'another operation takes over'));
      return Buffer.from('exit 0');
    };
    const order = orderOf({ ...script(''), read }, {}, controller.signal);
    await expect(create().submit(order)).rejects.toThrow('another operation takes over');
    expect(await create().finish(orderOf())).toEqual({
      status: 'FAILED',
      message: 'the run cannot be found',
      cause: 'Lost',
    });
  });
});

const readRecordOf = (pid: string) => readRecord(`/proc/${pid}/stat`)?.startedAt ?? '';

/** The processes that only these tests start. */
const sleepers = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .filter((pid) => {
      try {
        const [name, seconds = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return name === 'sleep' && /^100[1-4]$/.test(seconds);
      } catch {
        return false;
      }
    });

test('a main that cannot work is refused, whether the service stores it or fetches it', async () => {
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const checkMain = (text: string) => {
    if (text.startsWith('BEGIN')) throw new Error('line 1 cannot work: correct it');
  };
  const engines = [{ ...tiny, jobs: tiny.jobs.map((each) => ({ ...each, checkMain })) }];
  const { create, root, files } = openJobs({ engines });
  const jobFiles = join(root, 'files');
  mkdirSync(jobFiles);
  writeFileSync(join(jobFiles, 'main.sh'), 'BEGIN');
  const jobs = create({ jobFiles });
  expect(() => jobs.checks.run(orderOf(script('BEGIN')))).toThrow('line 1 cannot work: correct it');
  expect(() => jobs.checks.run(orderOf(script('true')))).not.toThrow();
  const order = orderOf({ ...script(''), url: `file://${join(jobFiles, 'main.sh')}` });
  expect(() => jobs.checks.run(order)).not.toThrow();
  await expect(jobs.submit(order)).rejects.toThrow('line 1 cannot work: correct it');
  expect(existsSync(files.paths(order.execution.id).decision)).toBe(false);
});

test('a main that is too large to be looked at is refused before it is read', async () => {
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const checked: string[] = [];
  const engines = [
    { ...tiny, jobs: tiny.jobs.map((each) => ({ ...each, checkMain: (text: string) => void checked.push(text) })) },
  ];
  const { create, root, files } = openJobs({ engines });
  const jobFiles = join(root, 'files');
  mkdirSync(jobFiles);
  const main = join(jobFiles, 'main.sh');
  writeFileSync(main, '');
  // Without blocks on the disk.
  truncateSync(main, 5 * 1024 ** 2 + 1);
  const order = orderOf({ ...script(''), url: `file://${main}` });
  await expect(create({ jobFiles }).submit(order)).rejects.toThrow(
    'main.sh has 5242881 bytes, and the service reads it, which it does up to 5242880 bytes: make it smaller, or divide it into several files',
  );
  expect(checked).toEqual([]);
  expect(existsSync(files.paths(order.execution.id).decision)).toBe(false);
});

test('a run reports what it waits for, also when it has made progress, as long as it does', async () => {
  const seen: readonly ObservedRun[] = [
    {},
    { progress: 0, waiting: 'waiting for a larger worker' },
    { progress: 0, waiting: 'waiting for a larger worker' },
    { progress: 0.5, waiting: 'waiting for its master' },
    { progress: 0.5 },
  ];
  let asked = 0;
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const observe = async () => seen[Math.min((asked += 1), seen.length) - 1] ?? {};
  const engines = [{ ...tiny, jobs: tiny.jobs.map((each) => ({ ...each, observe })) }];
  // A hundred times as fast.
  const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };
  const { create, root } = openJobs({ engines, clock });
  const reports: RunReport[] = [];
  const end = join(root, 'end');
  const params = { END: end };
  const order = {
    ...orderOf(script('while [ ! -e "$END" ]; do sleep 0.05; done'), { params }),
    report: (report: RunReport) => void reports.push(report),
  };
  const jobs = create();
  await jobs.submit(order);
  const finished = jobs.finish(order);
  await vi.waitFor(() => expect(asked).toBeGreaterThan(seen.length), limitMs);
  writeFileSync(end, '');
  await finished;
  expect(reports).toEqual([
    { progress: 0, message: 'waiting for a larger worker' },
    { progress: 0.5, message: 'waiting for its master' },
    { progress: 0.5, message: '' },
    { progress: 1 },
  ]);
});

describe('the output of a run', () => {
  test('is bounded: its beginning and its end are kept, and what is left out is counted', async () => {
    const { create } = openJobs({ logBytes: 4000 });
    const jobs = create();
    const order = orderOf(script('i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; echo "the end"'));
    await jobs.submit(order);
    await jobs.finish(order);
    const log = await jobs.logs(order, all);
    expect(log?.text.length).toBeLessThan(4100);
    expect(log?.text).toMatch(/^line 0\nline 1\n/);
    expect(log?.text).toMatch(/\[\d+ bytes are not kept\]/);
    expect(log?.text).toMatch(/line 1999\nthe end\n$/);
    expect([log?.next, log?.total]).toEqual([18_898, 18_898]);
  });

  test('is read in parts, which never break a character', async () => {
    const { jobs, order } = await submitted('echo "äöü€😀 and more"');
    await jobs.finish(order);
    let text = '';
    for (let from = 0, total = 1; from < total; ) {
      const part = await jobs.logs(order, { from, limit: 7 });
      text += part?.text;
      [from, total] = [part?.next ?? 0, part?.total ?? 0];
    }
    expect(text).toBe('äöü€😀 and more\n');
  });
});

test('a run whose files cannot be read goes on', async () => {
  const { jobs, order, paths } = await submitted('sleep 1000\n');
  const record = readFileSync(paths.decision, 'utf8');
  // As if too many files were open: it is there, and cannot be read.
  rmSync(paths.decision);
  mkdirSync(paths.decision);
  await expect(jobs.finish(order)).rejects.toThrow('EISDIR');
  rmSync(paths.decision, { recursive: true });
  writeFileSync(paths.decision, record);
  const soon = new AbortController();
  const finishing = jobs.finish({ ...order, signal: soon.signal });
  soon.abort(new Error('it runs'));
  await expect(finishing).rejects.toThrow('it runs');
  await jobs.kill(order);
  expect(await jobs.finish(order)).toMatchObject({ status: 'FAILED' });
});

test('a run whose folder somebody has removed is ended before it is FAILED', async () => {
  const { jobs, order, paths } = await submitted('sleep 1000\n');
  const record = readRecord(paths.decision);
  renameSync(paths.folder, `${paths.folder}-elsewhere`);
  expect(await jobs.finish(order)).toEqual({ status: 'FAILED', message: 'the run cannot be found', cause: 'Lost' });
  expect(lookNow().ofRun(order.execution.id, record)).toEqual([]);
});
