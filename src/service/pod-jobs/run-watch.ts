// Waits for the end of runs in pods, and says meanwhile what becomes of them.
import type { Clock, Log } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import { type AskJson, type Engine, engineOf, type RunPlace } from '../engines/engine.ts';
import type { ExecutionOrder, RunEnd } from '../executions/job-engine.ts';
import { events, jobs, type KubeApi, pods } from '../kubernetes/api/api.ts';
import { nodesOf, type PodPlace } from '../kubernetes/manifests/layout.ts';
import { labelValue, runLabel, runName } from '../kubernetes/manifests/names.ts';
import {
  disruptionOf,
  type EventObject,
  type PodObject,
  problemOfEvent,
  problemOfPod,
} from '../kubernetes/pods/conditions.ts';
import type { ClusterRecord } from '../records/records.ts';
import { lastWords } from '../runs/output.ts';
import { jobOf } from '../runs/run-plan.ts';
import { secretsOf } from '../runs/s3-plan.ts';
import { Transient } from '../stages/transient.ts';
import { anyAddress, type PodRuns } from './pod-runs.ts';
import type { LogFollower, RunLogs } from './run-logs.ts';
import { workFolder } from './run-manifests.ts';
import { endMsOf, exitCodeOf, hasProgram, type JobObject, problemWith, resultOf } from './run-pod.ts';

export interface RunWatchOptions {
  readonly api: KubeApi;
  readonly runs: PodRuns;
  readonly engines: readonly Engine[];
  /** That of a tenant, or of a cluster that the tenant sees, which can belong to another one. */
  readonly namespaceOf: (tenant: string, cluster?: ClusterRecord) => string;
  /** Of a cluster that the tenant sees. */
  readonly placeOf: (tenant: string, cluster: ClusterRecord) => Promise<PodPlace>;
  readonly clock: Clock;
  readonly log: Log;
  /** Asks pods of the cluster. */
  readonly ask: AskJson;
  /** The host at which `ask` reaches the pod of a run. */
  readonly addressOf: (pod: PodObject) => string | undefined;
}

const pollMs = 500;
const progressMs = 2000;
/** A run that has ended does not wait any longer for output that the kubelet does not hand out. */
const outputMs = 10 * 60_000;

type RunObjects = readonly [job: JobObject | undefined, pod: PodObject | undefined];

export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #logs: RunLogs;

  constructor(options: RunWatchOptions, logs: RunLogs) {
    this.#options = options;
    this.#logs = logs;
  }

  async look(namespace: string, run: string): Promise<RunObjects> {
    const { api } = this.#options;
    const job = await api.get<JobObject>(jobs, namespace, runName(run));
    const found = await api.list<PodObject>(pods, namespace, { labels: { [runLabel]: labelValue(run) } });
    // Of several pods, one has got the permit.
    return [job, found.find((pod) => hasProgram(pod)) ?? found[0]];
  }

  async finish(order: ExecutionOrder): Promise<RunEnd> {
    const follower = this.#logs.follow(order.execution.id, order.signal);
    try {
      return await this.#untilEnd(order, follower);
    } finally {
      await follower.close();
    }
  }

  async #untilEnd(order: ExecutionOrder, follower: LogFollower): Promise<RunEnd> {
    const { execution, signal } = order;
    const { clock, runs } = this.#options;
    const namespace = namespaceOfRun(this.#options, order);
    let [left, progress, told] = [progressMs, execution.progress, execution.info.message ?? ''];
    for (;;) {
      const objects = await this.look(namespace, execution.id);
      const [job, pod] = objects;
      const code = exitCodeOf(pod);
      if (code !== undefined && pod !== undefined) return await this.#ended(order, { pod, code, follower });
      const end = job === undefined ? this.#lost(execution.id) : resultOf(job, pod, told);
      if (end !== undefined) return end;
      if (pod !== undefined && hasProgram(pod)) follower.look(pod);
      // What was in the way is over at some time, also an API server that did not answer.
      const problem = (await this.#problem(namespace, objects)) ?? '';
      if (problem !== told) order.report({ message: problem });
      told = problem;
      if (left <= 0 && runs.decision(execution.id) === 'started') {
        left = progressMs;
        const now = await this.#progressOf(order, pod);
        if (now !== undefined && now !== progress) order.report({ progress: now });
        progress = now ?? progress;
      }
      await sleep(clock, pollMs, signal);
      signal.throwIfAborted();
      left -= pollMs;
    }
  }

  /** What keeps the run from going on. Why there is no pod, for example because of a quota, is told by events of the Job alone. */
  async #problem(namespace: string, [job, pod]: RunObjects): Promise<string | undefined> {
    if (pod !== undefined) return disruptionOf(pod) ?? problemOfPod(pod);
    if (job === undefined) return undefined;
    const fields = { type: 'Warning', 'involvedObject.kind': 'Job', 'involvedObject.name': job.metadata.name };
    const warnings = await this.#options.api.list<EventObject>(events, namespace, { fields });
    return warnings.map(problemOfEvent).findLast((each) => each !== undefined);
  }

  async #ended(
    order: ExecutionOrder,
    { pod, code, follower }: { readonly pod: PodObject; readonly code: number; readonly follower: LogFollower },
  ): Promise<RunEnd> {
    const { execution, tenant, cluster } = order;
    const { runs, placeOf } = this.#options;
    await this.#keepRest(order, pod, follower);
    if (code === 0) {
      order.report({ progress: 1 });
      return { status: 'SUCCEEDED', returnCode: code };
    }
    const { secret } = await placeOf(tenant, cluster);
    const words = lastWords(runs.paths(execution.id).output, [secret, ...secretsOf(order)]);
    const message = problemWith(pod) ?? words ?? `the program ended with exit code ${code}`;
    return { status: 'FAILED', returnCode: code, message };
  }

  /** The program has ended, whether its output can be read or not. */
  async #keepRest({ execution, signal }: ExecutionOrder, pod: PodObject, follower: LogFollower): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await follower.rest(pod);
    } catch (err) {
      signal.throwIfAborted();
      const isNew = clock.wall() - (endMsOf(pod) ?? 0) < outputMs;
      if (err instanceof Transient && isNew) throw err;
      log.warn({ kind: 'JobExecution', externalId: execution.id, err }, 'cannot read the rest of the output of a run');
    }
  }

  /** Nobody knows how far it got, so it is never started again. */
  #lost(run: string): RunEnd {
    const { runs } = this.#options;
    const decided = runs.decide(run, 'killed');
    const message =
      decided === 'started' ? 'its Job was deleted while it ran' : 'its Job was deleted before it started';
    return { status: 'FAILED', message };
  }

  async #progressOf({ execution, cluster, tenant, job }: ExecutionOrder, pod: PodObject | undefined) {
    const { engines, ask, placeOf, addressOf } = this.#options;
    const address = pod && addressOf(pod);
    if (address === undefined) return undefined;
    const place = placeOfRun(execution.id, cluster, await placeOf(tenant, cluster));
    const type = jobOf(engineOf(engines, cluster), job.type);
    return await type.progress?.({ ...place, address }, ask).catch(() => undefined);
  }
}

/** Where the objects of a run are. An earlier version made them in the namespace of the tenant whose run it is, whosever the cluster was. */
export const namespaceOfRun = (
  { runs, namespaceOf }: Pick<RunWatchOptions, 'runs' | 'namespaceOf'>,
  { execution, tenant }: Pick<ExecutionOrder, 'execution' | 'tenant'>,
): string => runs.namespace(execution.id) ?? namespaceOf(tenant);

/** The address of a run is known when its pod is there. */
export const placeOfRun = (id: string, cluster: ClusterRecord, place: PodPlace): RunPlace => ({
  id,
  nodes: nodesOf(cluster, place),
  folder: workFolder,
  address: anyAddress,
});
