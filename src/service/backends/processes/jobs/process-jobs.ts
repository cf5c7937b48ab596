// A job engine whose runs are processes of this computer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Log } from '../../../../lib/ports.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import { type AskJson, type Engine, engineOf, type Program, type RunPlace } from '../../../engines/engine.ts';
import { memorySettings } from '../../../engines/index.ts';
import { writeSafely } from '../../../model/disk/atomic-files.ts';
import { admitOn, anyRoom, type Room } from '../../../model/disk/volume.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type {
  EngineChecks,
  ExecutionOrder,
  FindOrder,
  FoundRun,
  JobEngine,
  KillOrder,
  LogPart,
  LogRange,
  RunEnd,
  RunOrder,
  RunPlan,
  RunReport,
} from '../../job-engine.ts';
import { bring, pathOf, placesOf, readableSchemes } from '../../runs/binaries.ts';
import { lastWords, readOutput } from '../../runs/output.ts';
import { checksOf, jobOf, observe, pagesOf, planCheckedRun } from '../../runs/run-plan.ts';
import { secretsOf } from '../../runs/s3-plan.ts';
import type { Download } from '../../runs/transfer.ts';
import type { Folders } from '../clusters/folders.ts';
import type { ProcessRecord } from '../clusters/process-record.ts';
import { type OomCount, OomWatch, oomCountOf } from './out-of-memory.ts';
import { addressOf, type RunFolders } from './run-folders.ts';
import { endLeftovers, endRun, isDecided, isOverIn, type RunAt, readState, startRun } from './run-process.ts';

interface ProcessJobsOptions {
  readonly folders: Folders;
  readonly runs: RunFolders;
  readonly engines: readonly Engine[];
  readonly clock: Clock;
  readonly log: Log;
  readonly ask: AskJson;
  /** Gets files out of the HDFS of the cluster. */
  readonly hdfs: Download;
  /** Gets files from anywhere else. It must not reach what only the service itself can. */
  readonly download: Download;
  /** The folder below which jobs can use files of this computer. Undefined if they cannot. */
  readonly jobFiles: string | undefined;
  /** How much of the output of a run is kept. */
  readonly logBytes: number;
  /** The volume of the runs. When absent: nothing is known of it. */
  readonly room?: Room;
  /** When absent: that of the kernel. */
  readonly oomCount?: (pid: number) => OomCount;
}

const pollMs = 100;
const progressMs = 1000;
/** Short runs are not asked: with the first answers, a Spark driver spends two seconds. */
const firstProgressMs = 20_000;
/** How often the end of what a program has started on its cluster is tried. */
const cancelTries = 3;

export class ProcessJobs implements JobEngine {
  readonly schemes = { binaries: readableSchemes, sources: ['file', 'hdfs'] };
  readonly checks: EngineChecks;
  readonly #options: ProcessJobsOptions;
  /** Killed and forgotten runs, which a submission that has not ended must not start. */
  readonly #barred = new Set<string>();

  constructor(options: ProcessJobsOptions) {
    this.#options = options;
    this.checks = checksOf(options, (plan) => this.#placeOf(plan));
    options.runs.clean().catch((err: unknown) => {
      options.log.warn({ action: 'start', err }, 'cannot remove files of runs that are not needed');
    });
    void options.runs.sweep();
  }

  async submit(order: ExecutionOrder): Promise<string> {
    const { execution } = order;
    const at = this.#at(order);
    const command = await this.#commandOf(order, at);
    at.signal.throwIfAborted();
    if (this.#barred.has(execution.id)) throw new Error('it was killed before it started');
    const { pid } = await startRun(at, command, this.#options.logBytes);
    order.accepted(String(pid));
    return String(pid);
  }

  /** A process that an earlier submission has left may start the run meanwhile. Then it does not matter that its files cannot be gathered again. */
  async #commandOf(order: ExecutionOrder, { paths }: RunAt): Promise<Program> {
    if (isDecided(paths)) return nothing;
    try {
      return await this.#prepare(order);
    } catch (cause) {
      if (!isDecided(paths)) throw cause;
      return nothing;
    }
  }

  /** The files and the command of the run. Rejects before anything is written if it cannot work. */
  async #prepare(order: ExecutionOrder): Promise<Program> {
    const { mains, libs, signal, execution } = order;
    const { runs, clock, hdfs, download, room = anyRoom } = this.#options;
    const admit = admitOn(room, order);
    const place = this.#placeOf(order);
    const transfer = { signal, clock, get: hdfs, admit };
    const { type, data, program } = await planCheckedRun(order, place, this.#options, transfer);
    const places = placesOf(place.folder, [...mains, ...libs]);
    if (this.#barred.has(execution.id)) return program;
    const { incoming } = runs.make(execution.id, order.cluster.id);
    const reading = { ...data, ...transfer, get: download, getFromHdfs: hdfs, incoming };
    for (const [place, binary] of places) await bring(place, binary, reading);
    for (const main of mains) type.checkMain?.(readFileSync(pathOf(place.folder, main), 'utf8'));
    for (const [path, text] of Object.entries(program.files ?? {})) writeSafely(join(place.folder, path), text);
    return program;
  }

  async finish(order: ExecutionOrder): Promise<RunEnd> {
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
      if (state.is !== 'running') return await this.#lost(at, state.is);
      memory ??= this.#watchMemory(state.record);
      memory.look();
      if (left <= 0) {
        left = progressMs;
        const now = { ...known, ...(await this.#observe(order)) };
        if (!isDeepStrictEqual(now, known)) order.report(now);
        known = now;
      }
      await sleep(this.#options.clock, pollMs, signal);
      signal.throwIfAborted();
      left -= pollMs;
    }
  }

  #watchMemory({ pid }: ProcessRecord): OomWatch {
    const { clock, oomCount = oomCountOf } = this.#options;
    return new OomWatch(oomCount(pid), clock);
  }

  async #ended(at: RunAt, returnCode: number, order: ExecutionOrder): Promise<RunEnd> {
    await endLeftovers(at);
    if (returnCode === 0) return { status: 'SUCCEEDED', returnCode };
    const secrets = [this.#options.folders.secret(order.cluster.id), ...secretsOf(order)];
    const message = lastWords(at.paths.output, secrets);
    return { status: 'FAILED', returnCode, message: message ?? `the program ended with exit code ${returnCode}` };
  }

  /** Whatever became of its first process, others of the run can still be there. */
  async #lost(at: RunAt, is: keyof typeof lostMessages): Promise<RunEnd> {
    await endRun(at);
    return { status: 'FAILED', message: lostMessages[is], ...(is !== 'barred' && { cause: 'Lost' }) };
  }

  /** Undefined if the program has ended, or does not answer yet. */
  async #observe(order: ExecutionOrder): Promise<RunReport | undefined> {
    const type = jobOf(engineOf(this.#options.engines, order.cluster), order.job.type);
    return await observe(type, this.#placeOf(order), this.#options.ask).catch(() => undefined);
  }

  async kill(order: KillOrder): Promise<void> {
    this.#barred.add(order.execution.id);
    await endRun(this.#at(order));
    await this.#cancelOnCluster(order);
  }

  /** Nothing of a run appears by itself, so a cluster has no others than those with a folder. */
  async runsOn({ cluster, tenants: [tenant = ''] }: FindOrder): Promise<readonly FoundRun[]> {
    const { runs } = this.#options;
    return runs.on(cluster.id).map((id) => ({ tenant, id, isOver: isOverIn(runs.paths(id), id) }));
  }

  /** A cluster that does not answer must not keep the run from being killed, because it cannot be deleted before. */
  async #cancelOnCluster(order: KillOrder): Promise<void> {
    const { cluster, signal, execution } = order;
    const { engines, ask, log } = this.#options;
    if (cluster === undefined) return;
    const place = this.#placeOf({ execution, cluster });
    for (const type of engineOf(engines, cluster).jobs) {
      const problem = await this.#tryAgain(async () => type.cancel?.(place, ask), signal);
      if (problem === undefined) continue;
      log.warn({ kind: 'JobExecution', externalId: execution.id, err: problem }, 'cannot cancel a run on its cluster');
    }
  }

  /** What was wrong the last time, or undefined. */
  async #tryAgain(task: () => Promise<void>, signal: AbortSignal): Promise<unknown> {
    for (let time = 1; ; time += 1) {
      try {
        await task();
        return undefined;
      } catch (cause) {
        signal.throwIfAborted();
        if (time === cancelTries) return cause;
        await sleep(this.#options.clock, progressMs, signal);
      }
    }
  }

  pages(plan: Pick<RunPlan, 'cluster' | 'job'>): Readonly<Record<string, string>> {
    return pagesOf(this.#options.engines, plan);
  }

  async logs({ execution }: RunOrder, range: LogRange): Promise<LogPart | undefined> {
    const { runs } = this.#options;
    const paths = runs.paths(execution.id);
    return isDecided(paths) ? readOutput(paths.output, range) : undefined;
  }

  release({ execution }: Pick<RunOrder, 'execution'>): void {
    const { runs, log } = this.#options;
    runs.drop(execution.id).catch((err: unknown) => {
      // They go with the execution at the latest.
      log.warn(
        { kind: 'JobExecution', externalId: execution.id, err },
        'cannot remove the files of a run that is over',
      );
    });
  }

  bytes({ execution }: Pick<RunOrder, 'execution'>): number {
    return this.#options.runs.bytes(execution.id);
  }

  forget({ execution }: Pick<KillOrder, 'execution'>): void {
    this.#barred.add(execution.id);
    try {
      this.#options.runs.remove(execution.id);
    } catch (err) {
      const at = { kind: 'JobExecution', externalId: execution.id, err };
      this.#options.log.error(at, 'cannot remove the files of a run');
    }
  }

  #at({ execution, signal }: Pick<KillOrder, 'execution' | 'signal'>): RunAt {
    const { runs, clock, room = anyRoom } = this.#options;
    return { id: execution.id, paths: runs.paths(execution.id), clock, signal, room };
  }

  #placeOf({ execution, cluster }: { readonly cluster: ClusterRecord } & Pick<KillOrder, 'execution'>): RunPlace {
    const { folders, runs } = this.#options;
    const { id } = execution;
    return { id, nodes: folders.nodes(cluster), folder: runs.paths(id).work, address: addressOf(id) };
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

/** What a run that was started already is started with. */
const nothing: Program = { file: '', args: [], env: {} };
