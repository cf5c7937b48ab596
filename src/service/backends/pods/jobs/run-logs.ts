// Copies what the programs of runs print into files of the service, while they run: the kubelet keeps the last of it, and only as long as the pod.
import { messageOf } from '../../../../lib/errors.ts';
import { turn } from '../../../../lib/timing/slices.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import { Transient } from '../../../model/disk/transient.ts';
import { noRoom } from '../../../model/disk/volume.ts';
import { OutputWriter, outputBytes } from '../../runs/output.ts';
import type { RunLifeOptions } from '../../runs/run-life.ts';
import type { KubeApi } from '../api/api.ts';
import type { PodObject } from '../clusters/conditions.ts';
import { BatchRoom, FairRate, inBatches } from './batches.ts';
import {
  type CopyOptions,
  type FollowOptions,
  idleMs,
  type LogCopies,
  LogFollower,
  type RestOptions,
} from './log-follower.ts';
import { type LogPosition, LogReader, sinceTime } from './log-reader.ts';
import type { PodRuns } from './pod-runs.ts';
import { programContainer } from './run-manifests.ts';
import { TenantShares } from './tenant-shares.ts';

interface RunLogsOptions extends Pick<RunLifeOptions, 'clock' | 'log' | 'logBytes'> {
  readonly api: Pick<KubeApi, 'log'>;
  readonly runs: PodRuns;
}

interface OpenedOutput {
  readonly output: OutputWriter;
  readonly reader: LogReader;
}

/** How often a copy that waits for room looks for it. */
const roomMs = 1000;
/** How much is kept of a log that takes too long to copy. */
const endLines = 20_000;
/** Stands in the output where the tenant has reached its quota. */
export const overQuotaLine =
  '\n[output is not kept from here on: the runs of the tenant have reached the quota of --quota-run-bytes]\n';
/** Stands in the output where the rest of it cannot be read any more. */
export const lostLine = '\n[output may be missing here: its pod was gone, or its node did not send it]\n';
const MiB = 1024 ** 2;
/** Each batch costs one write of output and one of the position. While it is copied, it is in memory up to four times. */
const batches = { all: 16 * MiB, most: MiB / 4, everyMs: 100 } as const;
/** In bytes a second as the kubelet sends them. They bound the share of the service's only thread that output takes. */
const rates = { all: 8 * MiB, free: MiB / 8, burst: MiB } as const;

export class RunLogs implements LogCopies {
  readonly #options: RunLogsOptions;
  readonly #rate: FairRate;
  readonly #room = new BatchRoom(batches);
  /** Runs whose log cannot be had now. */
  readonly #failing = new TenantShares();
  /** Resolves in the turn of the event loop that the latest batch has for itself. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: RunLogsOptions) {
    this.#options = options;
    this.#rate = new FairRate({ clock: options.clock, ...rates });
  }

  /**
   * Appends what the program has printed since the last time. Resolves at the end of the log: with `follow`, that is the end of the program. A copy that
   * ends early, for whatever reason, is continued by the next one. No two of a run at a time. On a full volume, it waits with `follow`, and rejects without.
   */
  async copy(run: string, { metadata }: PodObject, options: CopyOptions): Promise<void> {
    const { api, runs, clock } = this.#options;
    const { follow, signal, tailLines, received } = options;
    const from = runs.logPosition(run);
    const since = from === undefined ? {} : { sinceTime: sinceTime(from) };
    const query = { container: programContainer, timestamps: true, follow, tailLines, ...since };
    const chunks = api.log(metadata, query, { signal, idleMs });
    const pass = this.#rate.stream(signal);
    let opened: OpenedOutput | undefined;
    for await (const batch of inBatches(chunks, { clock, signal, room: this.#room, everyMs: batches.everyMs })) {
      received?.();
      opened ??= await this.#open(run, from);
      const { output, reader } = opened;
      this.#turns = this.#turns.then(turn);
      await this.#turns;
      // The position never is ahead of the output, whenever the service dies.
      await this.#keep(run, reader.read(batch), { ...options, output });
      if (reader.position !== undefined) await runs.keepLogPosition(run, reader.position);
      await pass(batch.length);
    }
  }

  /** An output whose position is lost begins anew, but not before the node has sent something in its place. */
  async #open(run: string, from: LogPosition | undefined): Promise<OpenedOutput> {
    const { runs, logBytes } = this.#options;
    if (runs.hasLostPosition(run)) await runs.dropOutput(run);
    const output = new OutputWriter(runs.paths(run).output, logBytes);
    return { output, reader: new LogReader(from, output.bytes) };
  }

  async #keep(run: string, news: Uint8Array, options: CopyOptions & Pick<OpenedOutput, 'output'>): Promise<void> {
    const { output, signal, admit } = options;
    if (news.length === 0) return;
    await this.#untilRoom(options);
    try {
      await admit?.(news.length);
    } catch (err) {
      // The next copy asks again.
      signal.throwIfAborted();
      const at = { kind: 'JobExecution', externalId: run, err };
      if (!output.isSkipping) this.#options.log.warn(at, `the output of a run is not kept: ${messageOf(err)}`);
      return await output.skip(news.length, overQuotaLine);
    }
    await output.append(news);
  }

  /** The last room is for deletions. Meanwhile the node keeps the output. */
  async #untilRoom({ follow, signal }: CopyOptions): Promise<void> {
    const { runs, clock } = this.#options;
    while (runs.room.isFull) {
      if (!follow) throw noRoom();
      await sleep(clock, roomMs, signal);
      signal.throwIfAborted();
    }
  }

  /**
   * Appends the rest of the output of a program that has ended or is about to. If that takes longer than `ms`, the middle is left out. Rejects with
   * `Transient` if its end takes longer than `ms`, too.
   */
  async copyRest(run: string, pod: PodObject, options: RestOptions): Promise<void> {
    if (await this.#copyWithin(run, pod, options)) return;
    if (await this.#copyWithin(run, pod, { ...options, tailLines: endLines })) return;
    throw new Transient(`its node has not sent the end of the output within ${options.ms / 1000} s`);
  }

  /** Resolves to false if it takes longer than `ms`. */
  async #copyWithin(
    run: string,
    pod: PodObject,
    { signal, ms, ...options }: RestOptions & Pick<CopyOptions, 'tailLines'>,
  ): Promise<boolean> {
    const late = new AbortController();
    const cancel = this.#options.clock.after(ms, () => late.abort(new Error('it is too long')));
    try {
      await this.copy(run, pod, { ...options, follow: false, signal: AbortSignal.any([signal, late.signal]) });
      return true;
    } catch (cause) {
      if (signal.aborted || !late.signal.aborted) throw cause;
      return false;
    } finally {
      cancel();
    }
  }

  /** The rest of the output cannot be read any more: the output says so, once. Never throws. */
  async noteLost(run: string): Promise<void> {
    const { runs, logBytes, log } = this.#options;
    try {
      const output = new OutputWriter(runs.paths(run).output, logBytes);
      await output.skip(Buffer.byteLength(lostLine), lostLine);
    } catch (err) {
      log.warn({ kind: 'JobExecution', externalId: run, err }, 'cannot note that output of a run may be missing');
    }
  }

  /** How much the program has printed, as far as it was copied. */
  bytes(run: string): number {
    return outputBytes(this.#options.runs.paths(run).output);
  }

  /** The output of the run is copied while its pod is shown to the follower. */
  follow(run: string, signal: AbortSignal, { tenant, admit }: FollowOptions): LogFollower {
    const { clock, log } = this.#options;
    return new LogFollower(run, signal, { logs: this, failing: this.#failing, tenant, clock, log, admit });
  }
}
