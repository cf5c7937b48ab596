// Copies what the programs of runs print into files of the service, while they run: the kubelet keeps the last of it, and only as long as the pod.
import { messageOf } from '../../lib/errors.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import type { KubeApi } from '../kubernetes/api/api.ts';
import type { PodObject } from '../kubernetes/pods/conditions.ts';
import { appendOutput, outputBytes } from '../runs/output.ts';
import { mayPass } from '../stages/transient.ts';
import { LogReader, sinceTime } from './log-reader.ts';
import type { PodRuns } from './pod-runs.ts';
import { programContainer } from './run-manifests.ts';

interface RunLogsOptions {
  readonly api: Pick<KubeApi, 'log'>;
  readonly runs: PodRuns;
  readonly clock: Clock;
  readonly log: Log;
  /** How much of the output of a run is kept. */
  readonly logBytes: number;
}

interface CopyOptions {
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** A log without a new line is asked for again: its connection may be dead. */
const idleMs = 5 * 60_000;
const retryMs = 2000;
/** After a refusal. */
const refusedMs = 60_000;
/** After the end of its program, a log that brings nothing for as long is not waited for any longer. */
const restMs = 10_000;

export class RunLogs {
  readonly #options: RunLogsOptions;

  constructor(options: RunLogsOptions) {
    this.#options = options;
  }

  /** Appends what the program has printed since the last time. Resolves at the end of the log: with `follow`, that is the end of the program. */
  async copy(run: string, { metadata }: PodObject, { follow, signal }: CopyOptions): Promise<void> {
    const { api, runs, logBytes } = this.#options;
    const { output } = runs.paths(run);
    const from = runs.logPosition(run);
    const reader = new LogReader(from);
    // Of the line that was cut, or whose position was not stored any more.
    let twice = Math.max(outputBytes(output) - (from?.total ?? 0), 0);
    const since = from === undefined ? {} : { sinceTime: sinceTime(from) };
    const query = { container: programContainer, timestamps: true, follow, ...since };
    for await (const chunk of api.log(metadata, query, { signal, idleMs })) {
      const text = reader.read(chunk);
      appendOutput(output, text.subarray(Math.min(twice, text.length)), logBytes);
      twice = Math.max(twice - text.length, 0);
      if (reader.position !== undefined) runs.keepLogPosition(run, reader.position);
    }
  }

  /** How much the program has printed, as far as it was copied. */
  bytes(run: string): number {
    return outputBytes(this.#options.runs.paths(run).output);
  }

  /** The output of the run is copied while its pod is shown to the follower. */
  follow(run: string, signal: AbortSignal): LogFollower {
    return new LogFollower(this, run, signal, this.#options);
  }
}

export class LogFollower {
  readonly #logs: RunLogs;
  readonly #run: string;
  readonly #parent: AbortSignal;
  readonly #options: Pick<RunLogsOptions, 'clock' | 'log'>;
  readonly #controller = new AbortController();
  readonly #stop = (): void => this.#controller.abort(this.#parent.reason);
  #following: Promise<void> | undefined;

  constructor(logs: RunLogs, run: string, parent: AbortSignal, options: Pick<RunLogsOptions, 'clock' | 'log'>) {
    this.#logs = logs;
    this.#run = run;
    this.#parent = parent;
    this.#options = options;
    parent.addEventListener('abort', this.#stop);
  }

  /** Sees to it that the log of this pod is followed. */
  look(pod: PodObject): void {
    this.#following ??= this.#follow(pod).finally(() => {
      this.#following = undefined;
    });
  }

  /** The program has ended. Resolves when all of its output is there, and rejects if some of it is not. */
  async rest(pod: PodObject): Promise<void> {
    const { clock } = this.#options;
    // The log ends by itself. Whoever asks for it once more gets only what the kubelet has not rotated away, so one that still brings something is left alone.
    for (let before = -1; this.#following !== undefined && this.#logs.bytes(this.#run) > before; ) {
      before = this.#logs.bytes(this.#run);
      await Promise.race([this.#following, sleep(clock, restMs, this.#parent)]);
    }
    await this.close();
    this.#parent.throwIfAborted();
    await this.#logs.copy(this.#run, pod, { follow: false, signal: this.#parent });
  }

  /** Resolves when nothing is copied any more. */
  async close(): Promise<void> {
    this.#parent.removeEventListener('abort', this.#stop);
    this.#controller.abort(new Error('the log is not needed any more'));
    await this.#following;
  }

  /** Never rejects. */
  async #follow(pod: PodObject): Promise<void> {
    const { signal } = this.#controller;
    const { clock, log } = this.#options;
    try {
      await this.#logs.copy(this.#run, pod, { follow: true, signal });
    } catch (err) {
      if (signal.aborted) return;
      const isPassing = mayPass(err);
      if (!isPassing)
        log.warn(
          { kind: 'JobExecution', externalId: this.#run, err },
          `cannot read the output of a run: ${messageOf(err)}`,
        );
      await sleep(clock, isPassing ? retryMs : refusedMs, signal);
    }
  }
}
