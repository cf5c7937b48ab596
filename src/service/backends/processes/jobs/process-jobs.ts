// A job engine whose runs are processes of this computer.
import { isDeepStrictEqual } from 'node:util';
import { sleep } from '../../../../lib/timing/wait.ts';
import { engineOf, type Program, type RunPlace } from '../../../engines/engine.ts';
import { memorySettings } from '../../../engines/index.ts';
import type { ExecutionOrder, FindOrder, FoundRun, KillOrder, RunEnd, RunReport } from '../../job-engine.ts';
import { readableSchemes } from '../../runs/binaries.ts';
import { failureIn } from '../../runs/output.ts';
import { RunLife, type RunLifeOptions, type RunOn } from '../../runs/run-life.ts';
import { jobOf, observe } from '../../runs/run-plan.ts';
import { secretsOf } from '../../runs/s3-plan.ts';
import type { Folders } from '../clusters/folders.ts';
import type { ProcessRecord } from '../clusters/process-record.ts';
import { type OomCount, OomWatch, oomCountOf } from './out-of-memory.ts';
import { findOver, findOverNow, noteEnd } from './run-ends.ts';
import { addressOf, type RunFolders } from './run-folders.ts';
import type { RunMemory } from './run-memory.ts';
import { endLeftovers, endRun, type RunAt, readState, startRun } from './run-process.ts';

interface ProcessJobsOptions extends RunLifeOptions {
  readonly folders: Folders;
  readonly runs: RunFolders;
  /** When absent: the memory of runs is not counted. */
  readonly admission?: RunMemory;
  /** When absent: that of the kernel. */
  readonly oomCount?: (pid: number) => OomCount;
}

const pollMs = 100;
const progressMs = 1000;
const removeAgainMs = 60_000;
/** Short runs are not asked: with the first answers, a Spark driver spends two seconds. */
const firstProgressMs = 20_000;

export class ProcessJobs extends RunLife<ProcessJobsOptions, Program> {
  readonly schemes = { binaries: readableSchemes, sources: ['file', 'hdfs'] };

  constructor(options: ProcessJobsOptions) {
    super(options);
    const kept = options.runs.memory;
    const over = findOverNow(kept.keys(), (run) => options.runs.paths(run));
    for (const [run, memory] of kept) if (!over.has(run)) options.admission?.keep(run, memory);
    options.runs.clean().catch((err: unknown) => {
      options.log.warn({ action: 'start', err }, 'cannot remove files of runs that are not needed');
    });
    void options.runs.sweep();
  }

  protected placeOf({ execution: { id }, cluster }: Omit<RunOn, 'tenant'>): RunPlace {
    const { folders, runs } = this.options;
    return { id, nodes: folders.nodes(cluster), folder: runs.paths(id).work, address: addressOf(id) };
  }

  protected wantedPlaceOf(run: RunOn): RunPlace {
    return this.placeOf(run);
  }

  protected async prepare(order: ExecutionOrder): Promise<Program> {
    const [program] = await this.gather(order, this.placeOf(order), order.cluster.id);
    return program;
  }

  protected async start(order: ExecutionOrder, program: Program | undefined): Promise<string> {
    const { logBytes, runs } = this.options;
    const { pid } = await startRun(this.#at(order), program, [logBytes, runs.room.lowBytes]);
    return String(pid);
  }

  protected async untilEnd(order: ExecutionOrder): Promise<RunEnd> {
    const { signal } = order;
    const at = this.#at(order);
    const { progress, info } = order.execution;
    let [left, known]: [number, RunReport] = [
      firstProgressMs,
      { message: info.message ?? '', ...(progress && { progress }) },
    ];
    let memory: OomWatch | undefined;
    for (let state = readState(at.paths); ; state = readState(at.paths)) {
      if (state.is === 'over') {
        if (state.code === 0) order.report({ progress: 1 });
        const end = await this.#ended(at, state.code, order);
        return state.code === killedCode && memory?.hasRisen === true ? { ...end, ...outOfMemory } : end;
      }
      if (state.is !== 'running') return await this.#lost(order, state.is);
      memory ??= this.#watchMemory(state.record);
      memory.look();
      if (left <= 0) {
        left = progressMs;
        const now = { ...known, ...(await this.#observe(order)) };
        if (!isDeepStrictEqual(now, known)) order.report(now);
        known = now;
      }
      await sleep(this.options.clock, pollMs, signal);
      signal.throwIfAborted();
      left -= pollMs;
    }
  }

  #watchMemory({ pid }: ProcessRecord): OomWatch {
    const { clock, oomCount = oomCountOf } = this.options;
    return new OomWatch(oomCount(pid), clock);
  }

  async #ended(at: RunAt, returnCode: number, order: ExecutionOrder): Promise<RunEnd> {
    await endLeftovers(at);
    this.options.admission?.release(at.id);
    if (returnCode === 0) return { status: 'SUCCEEDED', returnCode };
    const secrets = [this.options.folders.secret(order.cluster.id), ...secretsOf(order)];
    return { status: 'FAILED', returnCode, message: failureIn(at.paths.output, returnCode, secrets) };
  }

  /** Whatever became of its first process, others of the run can still be there. */
  async #lost(order: ExecutionOrder, is: keyof typeof lostMessages): Promise<RunEnd> {
    this.options.runs.bar(order.execution.id);
    await this.end(order);
    return { status: 'FAILED', message: lostMessages[is], ...(is !== 'barred' && { cause: 'Lost' }) };
  }

  /** Undefined if the program has ended, or does not answer yet. */
  async #observe(order: ExecutionOrder): Promise<RunReport | undefined> {
    const type = jobOf(engineOf(this.options.engines, order.cluster), order.job.type);
    return await observe(type, this.placeOf(order), this.options.ask).catch(() => undefined);
  }

  protected async end(order: KillOrder): Promise<void> {
    const at = this.#at(order);
    await endRun(at);
    noteEnd(at.paths);
    this.options.admission?.release(order.execution.id);
  }

  /** Nothing of a run appears by itself, so a cluster has no others than those with a folder. */
  async runsOn({ cluster, tenants: [tenant = ''] }: FindOrder): Promise<readonly FoundRun[]> {
    const { runs } = this.options;
    const ids = await runs.on(cluster.id);
    const over = await findOver(ids, (run) => runs.paths(run));
    return ids.map((id) => ({ tenant, id, isOver: over.has(id) }));
  }

  forget({ execution }: Pick<KillOrder, 'execution'>): void {
    this.options.admission?.release(execution.id);
    this.#remove(execution.id);
  }

  /** Tries it again until it works. Nobody else knows of the run any more. Never throws. */
  #remove(run: string): void {
    const { runs, clock, log } = this.options;
    try {
      runs.remove(run);
    } catch (err) {
      log.error({ kind: 'JobExecution', externalId: run, err }, 'cannot remove the files of a run yet');
      clock.after(removeAgainMs, () => this.#remove(run));
    }
  }

  #at({ execution: { id }, signal }: Pick<KillOrder, 'execution' | 'signal'>): RunAt {
    const { runs, clock } = this.options;
    return { id, paths: runs.paths(id), clock, signal };
  }
}

/** Of a program that SIGKILL ended. */
const killedCode = 137;
const outOfMemory = {
  cause: 'OOMKilled',
  message: `the kernel ended the program, because memory ran out: run fewer programs at a time, or give it less with ${memorySettings.join(' or ')}`,
} as const;

const lostMessages = {
  absent: 'the run cannot be found',
  barred: 'it was killed before it started',
  lost: 'its process ended without an exit code',
} as const;
