// A job engine whose runs are Jobs of Kubernetes.
import { relative } from 'node:path';
import { sleep } from '../../../../lib/timing/wait.ts';
import { engineOf, type RunPlace } from '../../../engines/engine.ts';
import { findFlavor } from '../../../engines/flavors.ts';
import type { EngineImage } from '../../../engines/image.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import type { OfferedFlavor } from '../../flavors-file.ts';
import {
  type ExecutionOrder,
  type FindOrder,
  type FoundRun,
  type KillOrder,
  ownerOfCluster,
  type RunEnd,
  type RunPlan,
} from '../../job-engine.ts';
import { readableSchemes } from '../../runs/binaries.ts';
import { jobFlavorOf } from '../../runs/job-flavor.ts';
import { jobQueueOf } from '../../runs/job-queue.ts';
import { RunLife, type RunLifeOptions, type RunOn } from '../../runs/run-life.ts';
import { jobOf } from '../../runs/run-plan.ts';
import { jobs, pods, secrets } from '../api/api.ts';
import { asWatched } from '../api/kept.ts';
import { labelValue, runLabel, runName } from '../api/names.ts';
import { untilHolds } from '../api/until.ts';
import { type PodObject, waitInQueue } from '../clusters/conditions.ts';
import type { PodPlace } from '../manifests/layout.ts';
import { findRunsOf, findRunsOn, type SearchedNamespace } from './found-runs.ts';
import { RunLogs } from './run-logs.ts';
import { type RunSetting, runJob, runSecret } from './run-manifests.ts';
import { hasProgram } from './run-pod.ts';
import { namespaceOfRun, placeOfRun, RunWatch, type RunWatchOptions } from './run-watch.ts';
import { runPath } from './runner-server.ts';

export interface PodJobsOptions extends RunWatchOptions, Omit<RunLifeOptions, 'runs'> {
  readonly imageOf: (cluster: ClusterRecord) => EngineImage;
  readonly runnerImage: string;
  readonly pullSecrets: readonly string[];
  /** Where pods reach the port for runs of the service. */
  readonly runnerUrl: string;
  readonly createSecret: () => string;
  /** Which runs are those of this service. Undefined if it keeps no data: then it cannot know those that it has made before. */
  readonly own?: { readonly service: () => string; readonly namespaces: readonly SearchedNamespace[] } | undefined;
}

const retryMs = 5000;
/** Whoever ends a run does not wait longer for its output: half of it for the rest, and half for its end. */
const keepMs = 20_000;

/** The API server has carried out requests for all of them for a run that was submitted. */
const ofEachRun = [jobs, secrets, pods];

interface RunManifests {
  readonly setting: RunSetting;
  readonly job: ReturnType<typeof runJob>;
}

export class PodJobs extends RunLife<PodJobsOptions, RunManifests> {
  readonly schemes = { binaries: readableSchemes.filter((scheme) => scheme !== 'file'), sources: ['hdfs'] };
  readonly #logs: RunLogs;
  readonly #watch: RunWatch;
  readonly #closing = new AbortController();

  constructor(options: PodJobsOptions) {
    super(options);
    this.#logs = new RunLogs(options);
    this.#watch = new RunWatch(options, this.#logs);
    options.runs.sweep();
    // Their Jobs were made, whether they are still there or not.
    for (const namespace of options.runs.namespacesOfStarted()) options.api.recall(namespace, ofEachRun);
    for (const run of new Set([...options.runs.forgotten, ...options.runs.gone])) void this.#removeForgotten(run);
  }

  /** What is to be removed is removed by the next life of the service. */
  close(): void {
    this.#closing.abort();
  }

  protected wantedPlaceOf(plan: RunPlan): RunPlace {
    const namespace = this.options.namespaceOf(ownerOfCluster(plan));
    return placeOfRun(plan.execution.id, plan.cluster, { namespace, domain: 'cluster.local', secret: '' });
  }

  protected async placeOf(run: RunOn): Promise<RunPlace> {
    const { execution, cluster } = run;
    return placeOfRun(execution.id, cluster, await this.options.placeOf(ownerOfCluster(run), cluster));
  }

  /** Gathers the files of the run, and describes its objects. */
  protected async prepare(order: ExecutionOrder): Promise<RunManifests> {
    const { execution, cluster } = order;
    const { runs, placeOf, createSecret } = this.options;
    const { id } = execution;
    const place = await placeOf(ownerOfCluster(order), cluster);
    const address = runs.placeholder(id, createSecret);
    const runPlace = { ...placeOfRun(id, cluster, place), address };
    const [program, binaries] = await this.gather(order, runPlace, place.namespace);
    const { work } = runs.paths(id);
    const templates = new Set(Object.keys(program.files ?? {}));
    const paths = [...binaries.map((file) => relative(work, file)), ...templates];
    runs.publish(id, paths, { templates, placeholder: address });
    const flavor = jobFlavorOf(order, this.options);
    const queue = jobQueueOf(order, this.options, flavor);
    const setting = { ...this.#settingOf(order, { place, flavor }), queue, token: runs.token(id, createSecret) };
    return { setting, job: runJob(setting, program, address) };
  }

  protected async start(order: ExecutionOrder, prepared: RunManifests | undefined): Promise<string> {
    const { runs, api } = this.options;
    const { id } = order.execution;
    this.#recall(order);
    if (prepared !== undefined) {
      const { setting, job } = prepared;
      await api.create(secrets, runSecret(setting));
      await api.create(jobs, job);
      const { queue, namespace } = setting;
      // Until the Job is observed: without Kueue, it does not wait.
      if (queue !== undefined) order.report({ message: waitInQueue(queue, namespace), isQueued: true });
      // A kill that came meanwhile has found no Job.
      if (runs.decision(id) === 'killed') await this.#removeObjects(setting.namespace, id);
    }
    return runName(id);
  }

  /** A run has an identifier on record only once its objects were made, perhaps by an earlier life of the service. */
  #recall(run: ExecutionOrder): void {
    if (run.execution.engine_job_id === undefined) return;
    this.options.api.recall(namespaceOfRun(this.options, run), ofEachRun);
  }

  #settingOf(
    { execution, cluster, job }: ExecutionOrder,
    { place: { namespace }, flavor }: { readonly place: PodPlace; readonly flavor: OfferedFlavor | undefined },
  ): Omit<RunSetting, 'token'> {
    const { runnerImage, pullSecrets, runnerUrl, engines, imageOf, flavors, own } = this.options;
    // A run without a flavor may write as much as the largest machine.
    const disks = () => cluster.node_groups.map(({ flavor_id }) => findFlavor(flavors, flavor_id).disk);
    const disk = flavor?.disk ?? Math.max(...disks());
    const url = `${runnerUrl}${runPath(execution.id)}`;
    const objects = { execution: execution.id, service: own?.service(), namespace, cluster };
    const engine = engineOf(engines, cluster);
    const program = { image: imageOf(cluster), variables: engine.variables, metrics: jobOf(engine, job.type).metrics };
    return { ...objects, ...program, runnerImage, pullSecrets, url, disk, flavor };
  }

  protected untilEnd(order: ExecutionOrder): Promise<RunEnd> {
    this.#recall(order);
    return this.#watch.finish(order);
  }

  protected async end(order: KillOrder): Promise<void> {
    const { execution, signal } = order;
    const namespace = namespaceOfRun(this.options, order);
    const [, pod] = await this.#watch.look(namespace, execution.id);
    await this.#keepLog(order, pod);
    await this.#removeObjects(namespace, execution.id);
    await this.#gone(namespace, execution.id, signal);
  }

  /** Resolves when nothing of the run is there any more. Pods that a Job has left behind when it was deleted are deleted here. */
  async #gone(namespace: string, run: string, signal: AbortSignal): Promise<void> {
    const { api, informers, log } = this.options;
    const labels = { [runLabel]: labelValue(run) };
    const observed = informers.observe({ namespace, kinds: [pods], labels });
    const report = ({ message }: { readonly message: string }): void =>
      log.warn({ kind: 'JobExecution', externalId: run }, `waiting until the pods of a run are gone: ${message}`);
    const isAbandoned = ({ metadata }: PodObject) => metadata.deletionTimestamp === undefined;
    const condition = {
      seems: () => observed.list<PodObject>(pods).every(isAbandoned),
      holds: async () => {
        const left = await api.list<PodObject>(pods, namespace, { labels }, asWatched(pods));
        for (const { metadata } of left.filter(isAbandoned)) await api.remove(pods, namespace, metadata.name);
        return left.length === 0 && (await api.get(jobs, namespace, runName(run))) === undefined;
      },
    };
    await untilHolds(observed, condition, { signal, report });
  }

  async runsOn({ tenants, cluster }: FindOrder): Promise<readonly FoundRun[]> {
    const { namespaceOf } = this.options;
    const namespaces = new Map(tenants.map((tenant) => [namespaceOf(tenant), tenant]));
    const found = [...namespaces].map(([namespace, tenant]) =>
      findRunsOn(this.options, cluster, { tenant, namespace }),
    );
    return (await Promise.all(found)).flat();
  }

  async strays(): Promise<readonly FoundRun[]> {
    const { own, log } = this.options;
    if (own === undefined) return [];
    const found: FoundRun[] = [];
    const service = own.service();
    for (const searched of own.namespaces) {
      try {
        found.push(...(await findRunsOf(this.options, service, searched)));
      } catch (err) {
        // One that cannot be read does not keep the others from being cleaned.
        if (own.namespaces.length === 1) throw err;
        const { namespace } = searched;
        log.warn({ kind: 'JobExecution', namespace, err }, 'cannot find out which runs are left in a namespace');
      }
    }
    return found;
  }

  /** The output of a run that is about to be ended, as far as it can be had. */
  async #keepLog({ execution: { id: run }, signal, admit }: KillOrder, pod: PodObject | undefined): Promise<void> {
    const { log } = this.options;
    if (pod === undefined || !hasProgram(pod)) return;
    await this.#logs.copyRest(run, pod, { signal, ms: keepMs / 2, admit }).catch((err: unknown) => {
      signal.throwIfAborted();
      log.warn({ kind: 'JobExecution', externalId: run, err }, 'cannot read the rest of the output of a run');
      return this.#logs.noteLost(run);
    });
  }

  async #removeObjects(namespace: string, run: string): Promise<void> {
    const { api } = this.options;
    for (const kind of [jobs, secrets]) await api.remove(kind, namespace, runName(run));
  }

  forget(run: Pick<KillOrder, 'tenant' | 'execution'>): void {
    const { runs } = this.options;
    const { execution } = run;
    runs.bar(execution.id);
    runs.forget(execution.id, namespaceOfRun(this.options, run));
    void this.#removeForgotten(execution.id);
  }

  /** Never rejects. */
  async #removeForgotten(run: string): Promise<void> {
    const { runs, clock, log } = this.options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const namespace = runs.namespaceOfForgotten(run);
        if (namespace !== undefined) await this.#removeObjects(namespace, run);
        return runs.remove(run);
      } catch (err) {
        log.warn({ kind: 'JobExecution', externalId: run, err }, 'cannot remove the objects of a run yet');
        await sleep(clock, retryMs, signal);
      }
    }
  }
}
