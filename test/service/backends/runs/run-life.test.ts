// The life of a run, with a backend that only writes down what it is asked for: who decides whether the run starts, and in which order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ExecutionOrder, KillOrder, RunEnd } from '../../../../src/service/backends/job-engine.ts';
import { RunFiles } from '../../../../src/service/backends/runs/run-files.ts';
import { RunLife, type RunLifeOptions } from '../../../../src/service/backends/runs/run-life.ts';
import { givePermit } from '../../../../src/service/backends/runs/start-permit.ts';
import type { RunPlace } from '../../../../src/service/engines/engine.ts';
import { ManualClock } from '../../../support/clock.ts';
import { clusterOf } from '../../provisioning/battery.ts';
import { tinyEngine } from '../processes/clusters/tiny-engine.ts';
import { orderOf } from '../processes/jobs/job-scene.ts';

class Files extends RunFiles {
  readonly did: string[];

  constructor(root: string, did: string[]) {
    super(root, { decision: 'decision', where: 'where' });
    this.did = did;
  }

  override bar(run: string) {
    const decided = super.bar(run);
    this.did.push(`bar: ${decided}`);
    return decided;
  }

  override discard(): void {
    this.did.push('discard');
  }

  release(): void {}

  /** As the program of an earlier submission, whose life may be over. */
  start(run: string): void {
    this.make(run, 'there');
    givePermit(this.paths(run).decision, '', this.room);
  }
}

interface Backend extends RunLifeOptions {
  readonly did: string[];
  /** Happens while the run is prepared. */
  readonly meanwhile: (order: ExecutionOrder) => void;
}

class Life extends RunLife<Backend, string> {
  protected wantedPlaceOf(): RunPlace {
    return { id: '1', nodes: [], folder: '/', address: '' };
  }

  protected placeOf(): RunPlace {
    return this.wantedPlaceOf();
  }

  protected async prepare(order: ExecutionOrder): Promise<string> {
    this.options.did.push('prepare');
    this.options.meanwhile(order);
    return 'prepared';
  }

  protected async start(_order: ExecutionOrder, prepared: string | undefined): Promise<string> {
    this.options.did.push(prepared === undefined ? 'adopt' : 'start');
    return 'name';
  }

  protected async end({ execution }: KillOrder): Promise<void> {
    this.options.did.push(`end: ${this.options.runs.decision(execution.id)}`);
  }

  override untilEnd = (): Promise<RunEnd> => Promise.reject(new Error('nobody waits for it'));
  runsOn = async () => [];
  forget(): void {}
}

function open(meanwhile: (order: ExecutionOrder, files: Files) => void = () => undefined, cancel = async () => {}) {
  const root = mkdtempSync(join(tmpdir(), 'run-life-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const did: string[] = [];
  const runs = new Files(root, did);
  const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
  const clock = new ManualClock();
  const none = () => Promise.reject(new Error('nobody needs it'));
  const life = new Life({
    did,
    runs,
    clock,
    meanwhile: (order) => meanwhile(order, runs),
    flavors: [],
    engines: [{ ...tiny, jobs: tiny.jobs.map((job) => ({ ...job, cancel })) }],
    log: { debug() {}, info() {}, warn: (_fields, text) => void did.push(text), error() {} },
    ask: none,
    hdfs: none,
    download: none,
    jobFiles: undefined,
    packages: '',
    environments: '',
    logBytes: 1,
  });
  return { life, runs, clock, did };
}

/** Resolves to the name that was accepted, or what was wrong, and to what was done. */
async function submit({ life, did }: Pick<ReturnType<typeof open>, 'life' | 'did'>, order: ExecutionOrder) {
  const accepted = (name: string) => void did.push(`accepted ${name}`);
  const result = await life.submit({ ...order, accepted }).catch((error: unknown) => String(error));
  return [result, ...did];
}

const barred = 'Error: it was killed before it started';

test('a run that nobody has decided is prepared and started', async () => {
  expect(await submit(open(), orderOf())).toEqual(['name', 'prepare', 'start', 'accepted name']);
});

test('a run that was started is adopted: nothing is prepared again', async () => {
  const opened = open();
  const order = orderOf();
  opened.runs.start(order.execution.id);
  expect(await submit(opened, order)).toEqual(['name', 'adopt', 'accepted name']);
});

test('a run that was killed is refused', async () => {
  const opened = open();
  const order = orderOf();
  opened.runs.bar(order.execution.id);
  expect(await submit(opened, order)).toEqual([barred, 'bar: killed']);
});

test('what happens while a run is prepared decides: it is started by an earlier submission, or killed', async () => {
  const started = open(({ execution }, runs) => runs.start(execution.id));
  expect(await submit(started, orderOf())).toEqual(['name', 'prepare', 'discard', 'adopt', 'accepted name']);
  const failed = open(({ execution }, runs) => {
    runs.start(execution.id);
    throw new Error('its files are gone');
  });
  expect(await submit(failed, orderOf())).toEqual(['name', 'prepare', 'discard', 'adopt', 'accepted name']);
  const killed = open(({ execution }, runs) => void runs.bar(execution.id));
  expect(await submit(killed, orderOf())).toEqual([barred, 'prepare', 'bar: killed', 'discard']);
});

test('files of a run that cannot be prepared are dropped, unless whoever takes over needs them', async () => {
  const fails = () => {
    throw new Error('no such file');
  };
  expect(await submit(open(fails), orderOf())).toEqual(['Error: no such file', 'prepare', 'discard']);
  const other = new Error('another operation takes over');
  const abortedAfter = async (meanwhile: (order: ExecutionOrder, files: Files) => void) => {
    const controller = new AbortController();
    const opened = open((...args) => {
      controller.abort(other);
      meanwhile(...args);
    });
    return await submit(opened, orderOf(undefined, {}, controller.signal));
  };
  expect(await abortedAfter(() => undefined)).toEqual([String(other), 'prepare']);
  expect(await abortedAfter(fails)).toEqual(['Error: no such file', 'prepare']);
  const killed = await abortedAfter(({ execution }, files) => void files.bar(execution.id));
  expect(killed).toEqual([barred, 'prepare', 'bar: killed', 'discard']);
});

test('a kill bars the run before it ends what is there, and a run that was started stays so', async () => {
  const kill = async ({ life }: ReturnType<typeof open>, { tenant, execution, signal }: ExecutionOrder) =>
    await life.kill({ tenant, execution, signal, cluster: undefined });
  const opened = open();
  await kill(opened, orderOf());
  const order = orderOf();
  opened.runs.start(order.execution.id);
  await kill(opened, order);
  expect(opened.did).toEqual(['bar: killed', 'end: killed', 'bar: started', 'end: started']);
});

const noAnswer = 'cannot end what it has started on its cluster: no answer';
const leaving = { work: { operation: 'delete', stage: 'vanish' } } as const;

/** A run that was started, on a cluster that does not answer so often. */
function openStarted(failures: number, order = orderOf()) {
  let left = failures;
  const opened = open(undefined, async () => {
    if (left-- > 0) throw new Error('no answer');
    opened.did.push('canceled');
  });
  opened.runs.start(order.execution.id);
  return { ...opened, order };
}

test.each([
  ['Active', {}, 2, ['canceled']],
  ['Active', {}, 3, ['cannot cancel a run on its cluster', `Transient: ${noAnswer}`]],
  ['Error', {}, 3, ['cannot cancel a run on its cluster']],
  ['Deleting', leaving, 3, ['cannot cancel a run on its cluster']],
] as const)('a cluster that is %s %j and does not answer %i times', async (status, fields, failures, expected) => {
  const { life, clock, did, order } = openStarted(failures);
  const { tenant, execution, signal } = order;
  const killed = life.kill({ tenant, execution, signal, cluster: { ...clusterOf([]), status, ...fields } });
  const noted = killed.catch((error: unknown) => void did.push(String(error)));
  await clock.advance(10_000);
  await noted;
  expect(did.slice(2)).toEqual(expected);
});

test('a run that has not begun has started nothing on its cluster', async () => {
  const { life, did } = open(undefined, () => Promise.reject(new Error('no answer')));
  const { tenant, execution, signal } = orderOf();
  await life.kill({ tenant, execution, signal, cluster: { ...clusterOf([]), status: 'Active' } });
  expect(did).toEqual(['bar: killed', 'end: killed']);
});

test.each([
  ['FAILED', ['canceled']],
  ['SUCCEEDED', []],
] as const)('what a program leaves on its cluster that has ended as %s', async (status, expected) => {
  const { life, did, order } = openStarted(0);
  life.untilEnd = async () => ({ status });
  expect(await life.finish(order)).toEqual({ status });
  expect(did).toEqual(expected);
});

test('a run has not failed as long as what it has started on its cluster may go on', async () => {
  const { life, clock, did, order } = openStarted(7);
  life.untilEnd = async () => ({ status: 'FAILED', cause: 'OOMKilled' });
  const cluster = { ...order.cluster, status: 'Active' };
  const messages: (string | undefined)[] = [];
  let end: unknown;
  void life
    .finish({ ...order, cluster, report: ({ message }) => void messages.push(message) })
    .then((ended) => (end = ended));
  await clock.advance(20_000);
  expect([end, messages[0]]).toEqual([undefined, `${noAnswer}; trying again`]);
  await clock.advance(20_000);
  expect([end, did.at(-1)]).toEqual([{ status: 'FAILED', cause: 'OOMKilled' }, 'canceled']);
});
