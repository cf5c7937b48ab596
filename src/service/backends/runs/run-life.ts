// The life of a run, whatever carries it out. What is known of it is on the volume, so another life of the service goes on from there.
//
//  decided   submit                      finish                                               kill
//  nothing   gather files and start it   wait; if nothing is there that can start, bar it     write the tombstone, and end what is there
//  started   adopt it                    wait for the end of its program, or for its loss     end what is there
//  killed    refuse it                   FAILED, once nothing of it is there                  end what is there
//
// The permit or the tombstone is written first, and only one of them, so no order of these calls, and no end of the service between them, starts a program
// twice. A run that is prepared ends in two ways only: its program has ended, or it is barred or lost and nothing of it is there.
import { join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import type { Clock, Log } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/timing/wait.ts';
import { type AskJson, canRun, type Engine, engineOf, type Program, type RunPlace } from '../../engines/engine.ts';
import { writeSafely } from '../../model/disk/atomic-files.ts';
import { Transient } from '../../model/disk/transient.ts';
import { admitOn } from '../../model/disk/volume.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import type { Flavors } from '../flavors-file.ts';
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
} from '../job-engine.ts';
import { bring, pathOf, placesOf, textIn } from './binaries.ts';
import { readOutput } from './output.ts';
import type { RunFiles } from './run-files.ts';
import { checksOf, pagesOf, planCheckedRun, type RunAdmission } from './run-plan.ts';
import { type Suppliers, supply } from './supplies.ts';
import type { Download } from './transfer.ts';

export interface RunLifeOptions extends Flavors, Suppliers {
  readonly runs: RunFiles;
  readonly engines: readonly Engine[];
  readonly clock: Clock;
  readonly log: Log;
  /** When absent: every program has a place. */
  readonly admission?: RunAdmission;
  /** Asks the processes of the cluster. */
  readonly ask: AskJson;
  /** Gets files out of the HDFS of the cluster. */
  readonly hdfs: Download;
  /** Gets files from anywhere else. It must not reach what only the service itself can. */
  readonly download: Download;
  /** The folder below which jobs can use files of this computer. Undefined if they cannot. */
  readonly jobFiles: string | undefined;
  /** How much of the output of a run is kept. */
  readonly logBytes: number;
  /** The page of a history server that outlives clusters. When absent: there is none. */
  readonly historyUrl?: string | undefined;
}

/** A run on its cluster. */
export type RunOn = Pick<KillOrder, 'tenant' | 'clusterTenant' | 'execution'> & { readonly cluster: ClusterRecord };

/** How often in a row the service tries to cancel what a program has started on its cluster, and how long it waits between two tries, in ms. */
const cancelTries = 3;
const cancelRetryMs = 1000;
/** How long it waits between such rows once the program has ended, in ms. */
const cancelAgainMs = 10_000;

/** Waiting for its answer is pointless: the cluster is being deleted, or may never answer again. */
const isLost = ({ status, work }: ClusterRecord): boolean => status === 'Error' || work?.operation === 'delete';

const barred = () => new Error('it was killed before it started');

/** A backend says how its runs are prepared, started, observed and ended. `P`: what is prepared for the start of a run. */
export abstract class RunLife<O extends RunLifeOptions, P> implements JobEngine {
  protected readonly options: O;
  readonly checks: EngineChecks;

  constructor(options: O) {
    this.options = options;
    this.checks = checksOf(options, (plan) => this.wantedPlaceOf(plan));
  }

  /** Where a run would be, before anything of it is made. */
  protected abstract wantedPlaceOf(plan: RunPlan): RunPlace;
  protected abstract placeOf(run: RunOn): RunPlace | Promise<RunPlace>;
  /** Calls `gather`. Rejects before anything is made if the run cannot work. */
  protected abstract prepare(order: ExecutionOrder): Promise<P>;
  /** Lets the program get the permit. Without `prepared`, the run was started. Resolves to the identifier that it has then, the same in all lives. */
  protected abstract start(order: ExecutionOrder, prepared: P | undefined): Promise<string>;
  /** See `finish`: how the program has ended, whatever it has left on its cluster. */
  protected abstract untilEnd(order: ExecutionOrder): Promise<RunEnd>;
  /** Resolves when nothing of the run is there any more. It is barred, or was started. */
  protected abstract end(order: KillOrder): Promise<void>;
  abstract runsOn(order: FindOrder): Promise<readonly FoundRun[]>;
  abstract forget(run: Pick<KillOrder, 'tenant' | 'execution'>): void;

  async submit(order: ExecutionOrder): Promise<string> {
    const { runs } = this.options;
    const { id } = order.execution;
    const decision = runs.decision(id);
    if (decision === 'killed') throw barred();
    const prepared = decision === undefined ? await this.#prepared(order) : undefined;
    order.signal.throwIfAborted();
    const name = await this.start(order, prepared);
    order.accepted(name);
    return name;
  }

  /**
   * Undefined if the program of an earlier submission has got the permit meanwhile. It has its files, so it does not matter that they cannot be gathered again,
   * and what is left of them must not fail a run that goes on.
   */
  async #prepared(order: ExecutionOrder): Promise<P | undefined> {
    const { runs } = this.options;
    const { execution, signal } = order;
    try {
      const prepared = await this.prepare(order);
      if (runs.decision(execution.id) === undefined) return prepared;
      if (runs.decision(execution.id) === 'killed') throw barred();
    } catch (cause) {
      const decision = runs.decision(execution.id);
      if (decision !== 'started') {
        // After an abort, whoever takes over needs the files, unless it is a kill, which may have come before them.
        if (!signal.aborted || decision === 'killed') runs.discard(execution.id);
        throw cause;
      }
    }
    runs.discard(execution.id);
    return undefined;
  }

  /** Plans the run, and brings its files. `where`: see `RunFiles`. Resolves to the program, and the paths of its files that are not texts of the program. */
  protected async gather(
    order: ExecutionOrder,
    place: RunPlace,
    where: string,
  ): Promise<readonly [Program, readonly string[]]> {
    const { runs, clock, hdfs, download, environments, pythonOf } = this.options;
    const { execution, mains, libs, signal } = order;
    const { work, incoming } = runs.paths(execution.id);
    const transfer = { signal, clock, get: hdfs, admit: admitOn(runs.room, order) };
    const planned = await planCheckedRun(order, place, this.options, transfer);
    const { type, data, program } = planned;
    this.options.admission?.reserve(execution.id, planned.memory);
    const binaries = placesOf(work, [...mains, ...libs]);
    signal.throwIfAborted();
    if (runs.decision(execution.id) === 'killed') throw barred();
    runs.make(execution.id, where);
    if (this.options.admission !== undefined) writeSafely(runs.paths(execution.id).memory, String(planned.memory));
    const options = { ...data, ...transfer, get: download, getFromHdfs: hdfs, incoming, keep: runs.keep };
    for (const [file, binary] of binaries) await bring(file, binary, options);
    if (type.checkMain !== undefined) for (const main of mains) type.checkMain(await textIn(pathOf(work, main)));
    const supplies = { work, incoming, environments, pythonOf, nodes: place.nodes };
    const added = await supply(planned, { ...options, ...supplies });
    for (const [path, text] of Object.entries(program.files ?? {})) writeSafely(join(work, path), text);
    return [program, [...binaries.keys(), ...added]];
  }

  async finish(order: ExecutionOrder): Promise<RunEnd> {
    const end = await this.untilEnd(order);
    const hasStarted = this.options.runs.decision(order.execution.id) === 'started';
    if (end.status !== 'SUCCEEDED' && hasStarted) await this.#cancelLeft(order);
    return end;
  }

  /** A program that has failed or was killed can leave work on its cluster, which the next run would do again beside it. */
  async #cancelLeft(order: ExecutionOrder): Promise<void> {
    const { engines, clock } = this.options;
    const { signal, cluster } = order;
    // A run can go on although its engine is not known any more.
    while (engines.some((engine) => canRun(engine, cluster))) {
      try {
        return await this.#cancelOnCluster(order);
      } catch (cause) {
        signal.throwIfAborted();
        order.report({ message: `${messageOf(cause)}; trying again` });
        await sleep(clock, cancelAgainMs, signal);
        signal.throwIfAborted();
      }
    }
  }

  async kill(order: KillOrder): Promise<void> {
    const decided = this.options.runs.bar(order.execution.id);
    await this.end(order);
    const { cluster } = order;
    // One that has not begun has started nothing.
    if (cluster !== undefined && decided === 'started') await this.#cancelOnCluster({ ...order, cluster });
  }

  /**
   * Rejects with `Transient` if the cluster does not answer: what the program has started there may go on. That does not keep a run from being killed whose
   * cluster is being deleted, or is in Error.
   */
  async #cancelOnCluster(run: RunOn & Pick<KillOrder, 'signal'>): Promise<void> {
    const { engines, ask } = this.options;
    const place = await this.placeOf(run);
    for (const type of engineOf(engines, run.cluster).jobs)
      await this.#tryToCancel(run, async () => type.cancel?.(place, ask));
  }

  async #tryToCancel({ execution, cluster, signal }: RunOn & Pick<KillOrder, 'signal'>, cancel: () => Promise<void>) {
    const { clock, log } = this.options;
    for (let left = cancelTries - 1; ; left -= 1) {
      try {
        return await cancel();
      } catch (err) {
        signal.throwIfAborted();
        if (left > 0) {
          await sleep(clock, cancelRetryMs, signal);
          continue;
        }
        log.warn({ kind: 'JobExecution', externalId: execution.id, err }, 'cannot cancel a run on its cluster');
        if (isLost(cluster)) return;
        throw new Transient(`cannot end what it has started on its cluster: ${messageOf(err)}`, { cause: err });
      }
    }
  }

  pages(plan: Pick<RunPlan, 'cluster' | 'job'>): Readonly<Record<string, string>> {
    return pagesOf(this.options, plan);
  }

  async logs({ execution: { id } }: RunOrder, range: LogRange): Promise<LogPart | undefined> {
    const { runs } = this.options;
    return runs.hasOutput(id) ? readOutput(runs.paths(id).output, range) : undefined;
  }

  release({ execution }: Pick<RunOrder, 'execution'>): void {
    this.options.runs.release(execution.id);
  }

  bytes({ execution }: Pick<RunOrder, 'execution'>): number {
    return this.options.runs.bytes(execution.id);
  }
}
