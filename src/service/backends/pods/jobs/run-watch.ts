// Waits for the end of runs in pods, and says meanwhile what becomes of them.
import { engineOf, type RunPlace } from '../../../engines/engine.ts';
import { mayPass } from '../../../model/disk/transient.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import { type ExecutionOrder, type KillOrder, ownerOfCluster, type RunEnd, type RunReport } from '../../job-engine.ts';
import { failureIn } from '../../runs/output.ts';
import type { RunLifeOptions } from '../../runs/run-life.ts';
import { jobOf, observe } from '../../runs/run-plan.ts';
import { secretsOf } from '../../runs/s3-plan.ts';
import { events, jobs, type KubeApi, pods } from '../api/api.ts';
import type { ObjectObserver, Observation } from '../api/informers.ts';
import { asWatched } from '../api/kept.ts';
import { labelValue, runLabel, runName } from '../api/names.ts';
import { recheckMs, resyncMs } from '../api/until.ts';
import {
  disruptionOf,
  type EventObject,
  type PodObject,
  problemOfEvent,
  problemOfPod,
} from '../clusters/conditions.ts';
import { nodesOf, type PodPlace } from '../manifests/layout.ts';
import type { LogFollower } from './log-follower.ts';
import { anyAddress, type PodRuns } from './pod-runs.ts';
import { Questions } from './questions.ts';
import type { RunLogs } from './run-logs.ts';
import { workFolder } from './run-manifests.ts';
import {
  causeIn,
  endMsOf,
  exitCodeOf,
  hasEnded,
  hasProgram,
  isFinished,
  isSuspended,
  type JobObject,
  problemWith,
  resultOf,
  suspensionOf,
  waitOf,
} from './run-pod.ts';
import { TenantShares } from './tenant-shares.ts';

export interface RunWatchOptions extends Pick<RunLifeOptions, 'engines' | 'clock' | 'log' | 'ask'> {
  readonly api: KubeApi;
  readonly informers: ObjectObserver;
  readonly runs: PodRuns;
  /** That of the clusters of a tenant, and of the runs on them. */
  readonly namespaceOf: (tenant: string) => string;
  /** Of a cluster that the tenant has: see `ownerOfCluster`. */
  readonly placeOf: (tenant: string, cluster: ClusterRecord) => Promise<PodPlace>;
  /** The host at which `ask` reaches the pod of a run. */
  readonly addressOf: (pod: PodObject) => string | undefined;
  /** Whether the service asks runs through the API server, because it is not in the cluster. */
  readonly isOutside?: boolean;
}

/** How often a run is asked for its progress. */
const progressMs = 2000;
/** How often all of them together are. From outside of the cluster, each question is up to four requests to the API server. */
const progressOfAllMs = { inside: 500, outside: 1000 } as const;
/** A run that has ended does not wait any longer for output that the kubelet does not hand out. */
const outputMs = 10 * 60_000;

type RunObjects = readonly [job: JobObject | undefined, pod: PodObject | undefined];

interface EndedProgram {
  readonly job: JobObject | undefined;
  readonly pod: PodObject;
  readonly code: number;
  readonly follower: LogFollower;
}

/** Of several pods, one has got the permit. */
const podOf = (found: readonly PodObject[]): PodObject | undefined => found.find((pod) => hasProgram(pod)) ?? found[0];

/** What keeps the run from going on. Why there is no pod, for example because of a quota, is told by events of the Job alone. */
function problemOf([job, pod]: RunObjects, observed: Observation): string | undefined {
  if (job !== undefined && isSuspended(job)) return `${suspensionOf(job)}: waiting for the end of its pod`;
  if (pod !== undefined) {
    const lost = job === undefined ? 'its Job was deleted: waiting for the end of its pod' : undefined;
    return disruptionOf(pod) ?? problemOfPod(pod) ?? lost;
  }
  if (job === undefined) return undefined;
  return observed
    .list<EventObject>(events)
    .map(problemOfEvent)
    .findLast((each) => each !== undefined);
}

/** `ms`: until it is to be called again, unless `answered` aborts before. `message`: what the run waits for. */
type ProgressOf = (pod: PodObject | undefined) => {
  readonly ms: number;
  readonly message: string;
  readonly answered: AbortSignal;
};

interface WatchedRun {
  readonly follower: LogFollower;
  readonly observed: Observation;
  readonly progress: ProgressOf;
}

export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #logs: RunLogs;
  /** The runs that are asked for their progress. */
  readonly #asked = new TenantShares();
  readonly #questions: Questions;

  constructor(options: RunWatchOptions, logs: RunLogs) {
    this.#options = options;
    this.#logs = logs;
    this.#questions = new Questions(options.clock);
  }

  async look(namespace: string, run: string): Promise<RunObjects> {
    const { api } = this.#options;
    const job = await api.get<JobObject>(jobs, namespace, runName(run));
    const selection = { labels: { [runLabel]: labelValue(run) } };
    const found = await api.list<PodObject>(pods, namespace, selection, asWatched(pods));
    return [job, podOf(found)];
  }

  async finish(order: ExecutionOrder): Promise<RunEnd> {
    const { tenant, signal, execution } = order;
    const { id } = execution;
    const follower = this.#logs.follow(id, signal, order);
    const observed = this.#options.informers.observe({
      namespace: namespaceOfRun(this.#options, order),
      kinds: [jobs, pods, events],
      labels: { [runLabel]: labelValue(id) },
      about: new Set([runName(id)]),
    });
    const over = new AbortController();
    try {
      const progress = this.#progressOf(order, over.signal);
      return await this.#untilEnd(order, { follower, observed, progress });
    } finally {
      over.abort();
      this.#asked.delete(tenant, id);
      observed.close();
      await follower.close();
    }
  }

  async #untilEnd(order: ExecutionOrder, { follower, observed, progress }: WatchedRun): Promise<RunEnd> {
    const { execution, signal } = order;
    let told = execution.info.message ?? '';
    let wasQueued = execution.info.queued === true;
    let isEvicted = false;
    let isShown = true;
    let waits = '';
    for (;;) {
      // Meanwhile, the run shows that it cannot be observed.
      if (await observed.current(order)) [told, isShown] = ['', false];
      signal.throwIfAborted();
      const objects = await this.#observe(order, observed, told);
      const [job, pod] = objects;
      const code = exitCodeOf(pod);
      if (code !== undefined && pod !== undefined) return await this.#ended(order, { job, pod, code, follower });
      const end = job === undefined ? await this.#lost(order, pod) : await this.#resultOf(order, [job, pod], told);
      // A pod that was evicted is gone soon after.
      isEvicted ||= pod !== undefined && disruptionOf(pod) !== undefined;
      if (end !== undefined) {
        const hasStarted = this.#options.runs.decision(execution.id) === 'started';
        if (hasStarted && !(await follower.last())) await this.#logs.noteLost(execution.id);
        return isEvicted && end.cause === 'Lost' ? { ...end, cause: 'Evicted' } : end;
      }
      if (pod !== undefined && hasProgram(pod)) follower.look(pod);
      // What was in the way is over at some time, also an API server that did not answer.
      const isQueued = job !== undefined && this.#isQueued(order, job);
      const problem = (isQueued ? waitOf(job) : problemOf(objects, observed)) ?? waits;
      if (!isShown || problem !== told || isQueued !== wasQueued)
        order.report({ message: problem, ...(isQueued !== wasQueued && { isQueued }) });
      [told, isShown, wasQueued] = [problem, true, isQueued];
      const asked = progress(pod);
      waits = asked.message;
      const isBehind = observed.list(jobs).length === 0;
      await observed.next(isBehind ? recheckMs : asked.ms, AbortSignal.any([signal, asked.answered]));
      signal.throwIfAborted();
    }
  }

  /** The objects as they were observed. If they say that the run or its Job has ended, but no exit code, they are read from the API server. */
  async #observe(order: ExecutionOrder, observed: Observation, told: string): Promise<RunObjects> {
    const [job] = observed.list<JobObject>(jobs);
    const pod = podOf(observed.list<PodObject>(pods));
    const goesOn =
      job !== undefined &&
      !isFinished(job) &&
      resultOf(job, pod, told) === undefined &&
      !this.#isPreempted(order, [job, pod]);
    if (exitCodeOf(pod) !== undefined || goesOn) return [job, pod];
    return await this.look(namespaceOfRun(this.#options, order), order.execution.id);
  }

  /** Its program has not begun, and cannot before the Job is admitted. Whether it was admitted before does not matter. */
  #isQueued({ execution }: ExecutionOrder, job: JobObject): boolean {
    return isSuspended(job) && this.#options.runs.decision(execution.id) !== 'started';
  }

  /** The Job was suspended after its program had begun, and nothing of it runs any more. */
  #isPreempted({ execution }: ExecutionOrder, [job, pod]: RunObjects): boolean {
    const isAlone = pod === undefined || hasEnded(pod);
    return job !== undefined && isSuspended(job) && isAlone && this.#options.runs.decision(execution.id) === 'started';
  }

  /** Undefined as long as a program may run. The objects are as the API server has them if they say that none does. */
  async #resultOf(
    order: ExecutionOrder,
    objects: readonly [job: JobObject, pod: PodObject | undefined],
    told: string,
  ): Promise<RunEnd | undefined> {
    const [job, pod] = objects;
    const end = resultOf(job, pod, told);
    if (end !== undefined || !this.#isPreempted(order, objects)) return end;
    await this.#withdraw(order, job);
    return { status: 'FAILED', cause: 'Evicted', message: suspensionOf(job) };
  }

  /** A Job that stays suspended would be admitted again, and its pod would take room until it learns that it cannot start. Never throws. */
  async #withdraw(order: ExecutionOrder, job: JobObject): Promise<void> {
    const { api, log } = this.#options;
    try {
      await api.remove(jobs, namespaceOfRun(this.#options, order), job.metadata.name);
    } catch (err) {
      log.warn(
        { kind: 'JobExecution', externalId: order.execution.id, err },
        'cannot remove the suspended Job of a run',
      );
    }
  }

  async #ended(order: ExecutionOrder, { job, pod, code, follower }: EndedProgram): Promise<RunEnd> {
    const { execution, cluster } = order;
    const { runs, placeOf } = this.#options;
    await this.#keepRest(order, pod, follower);
    const preempted = job !== undefined && isSuspended(job) ? job : undefined;
    if (preempted !== undefined) await this.#withdraw(order, preempted);
    if (code === 0) {
      order.report({ progress: 1 });
      return { status: 'SUCCEEDED', returnCode: code };
    }
    const { secret } = await placeOf(ownerOfCluster(order), cluster);
    const words = failureIn(runs.paths(execution.id).output, code, [secret, ...secretsOf(order)]);
    const cause = causeIn(pod);
    const why = preempted !== undefined && cause === 'Evicted' ? suspensionOf(preempted) : problemWith(pod);
    return { status: 'FAILED', returnCode: code, cause, message: why ?? words };
  }

  /** The program has ended, whether its output can be read or not. */
  async #keepRest({ execution, signal }: ExecutionOrder, pod: PodObject, follower: LogFollower): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await follower.rest(pod);
    } catch (err) {
      signal.throwIfAborted();
      const isNew = clock.wall() - (endMsOf(pod) ?? 0) < outputMs;
      if (mayPass(err) && isNew) throw err;
      log.warn({ kind: 'JobExecution', externalId: execution.id, err }, 'cannot read the rest of the output of a run');
      await this.#logs.noteLost(execution.id);
    }
  }

  /**
   * Its Job is gone. Nobody knows how far it got, so it is never started again. A program that runs without its Job goes on to its end, so the run is lost
   * only when its pod is gone, too.
   */
  async #lost(order: ExecutionOrder, pod: PodObject | undefined): Promise<RunEnd | undefined> {
    const { runs, api } = this.#options;
    const decided = runs.bar(order.execution.id);
    if (pod !== undefined && !hasEnded(pod)) {
      if (decided === 'killed') await api.remove(pods, namespaceOfRun(this.#options, order), pod.metadata.name);
      return undefined;
    }
    const message =
      decided === 'started' ? 'its Job was deleted while it ran' : 'its Job was deleted before it started';
    return { status: 'FAILED', cause: decided === 'started' ? 'Lost' : undefined, message };
  }

  /**
   * Returns a function that asks the run for its progress if that is due, and reports what was answered since it was called. It does not wait for the answer,
   * so that the end of the run is noticed meanwhile.
   */
  #progressOf(order: ExecutionOrder, over: AbortSignal): ProgressOf {
    const { addressOf, isOutside, clock, runs } = this.#options;
    const { tenant, execution } = order;
    const from = clock.monotonic();
    const question = this.#questions.of(tenant, over);
    let [progress, message, answered] = [execution.progress, '', new AbortController()];
    let [dueAt, isAsking, now]: [number?, boolean?, RunReport?] = [];
    const ofAllMs = progressOfAllMs[isOutside === true ? 'outside' : 'inside'];
    const intervalMs = () => Math.max(progressMs, this.#asked.intervalMs(tenant, ofAllMs));
    const ask = async (address: string): Promise<void> => {
      isAsking = true;
      now = await question(() => this.#ask(order, address)).catch(() => undefined);
      dueAt = clock.monotonic() + intervalMs();
      isAsking = false;
      answered.abort();
    };
    return (pod) => {
      if (answered.signal.aborted) answered = new AbortController();
      const { signal } = answered;
      if (now?.progress !== undefined && now.progress !== progress) order.report({ progress: now.progress });
      [progress, message, now] = [now?.progress ?? progress, now?.message ?? message, undefined];
      const address = pod && addressOf(pod);
      if (address === undefined || runs.decision(execution.id) !== 'started' || !this.#tellsProgress(order))
        return { ms: resyncMs, message: '', answered: signal };
      this.#asked.add(tenant, execution.id);
      // After a restart, runs are not asked all at once: each waits for those that were watched before it.
      dueAt ??= from + intervalMs();
      if (isAsking !== true && clock.monotonic() >= dueAt) void ask(address);
      return { ms: isAsking === true ? resyncMs : dueAt - clock.monotonic(), message, answered: signal };
    };
  }

  /** A run can go on although its engine is not known any more. */
  #tellsProgress({ cluster, job }: ExecutionOrder): boolean {
    try {
      return jobOf(engineOf(this.#options.engines, cluster), job.type).observe !== undefined;
    } catch {
      return false;
    }
  }

  async #ask(order: ExecutionOrder, address: string): Promise<RunReport> {
    const { execution, cluster, job } = order;
    const { engines, ask, placeOf } = this.#options;
    const place = placeOfRun(execution.id, cluster, await placeOf(ownerOfCluster(order), cluster));
    return await observe(jobOf(engineOf(engines, cluster), job.type), { ...place, address }, ask);
  }
}

/** Where the objects of a run are. An earlier version made them in the namespace of the tenant whose run it is, whosever the cluster was. */
export const namespaceOfRun = (
  { runs, namespaceOf }: Pick<RunWatchOptions, 'runs' | 'namespaceOf'>,
  { execution, tenant }: Pick<KillOrder, 'execution' | 'tenant'>,
): string => runs.namespace(execution.id) ?? namespaceOf(tenant);

/** The address of a run is known when its pod is there. */
export const placeOfRun = (id: string, cluster: ClusterRecord, place: PodPlace): RunPlace => ({
  id,
  nodes: nodesOf(cluster, place),
  folder: workFolder,
  address: anyAddress,
});
