// A job engine whose runs are Jobs of Kubernetes.
import { mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import type { Clock, Log } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import { type AskJson, type Engine, engineOf, type RunPlace } from '../engines/engine.ts';
import type {
  EngineChecks,
  ExecutionOrder,
  JobEngine,
  LogPart,
  LogRange,
  RunEnd,
  RunOrder,
  RunPlan,
} from '../executions/job-engine.ts';
import { jobs, type KubeApi, pods, secrets } from '../kubernetes/api.ts';
import { type PodObject, problemOfPod } from '../kubernetes/conditions.ts';
import type { EngineImage } from '../kubernetes/images.ts';
import { nodesOf, type PodPlace } from '../kubernetes/layout.ts';
import { labelValue, runLabel, runName } from '../kubernetes/names.ts';
import type { ClusterRecord } from '../records/records.ts';
import { bring, checkUrl, placesOf, readableSchemes } from '../runs/binaries.ts';
import { checkKind, checkPlace } from '../runs/data-sources.ts';
import { lastWords, readOutput } from '../runs/output.ts';
import { checkPlan, checkType, jobOf, pagesOf, planRun } from '../runs/run-plan.ts';
import { secretsOf } from '../runs/s3-plan.ts';
import type { Download } from '../runs/transfer.ts';
import { anyAddress, type PodRuns } from './pod-runs.ts';
import { programContainer, type RunSetting, runJob, runSecret, workFolder } from './run-manifests.ts';
import { exitCodeOf, failureOf, hasProgram, type JobObject, problemWith } from './run-pod.ts';
import { runPath } from './runner-server.ts';

export interface PodJobsOptions {
  readonly api: KubeApi;
  readonly runs: PodRuns;
  readonly engines: readonly Engine[];
  readonly imageOf: (cluster: ClusterRecord) => EngineImage;
  readonly runnerImage: string;
  readonly pullSecrets: readonly string[];
  /** Where pods reach the port for runs of the service. */
  readonly runnerUrl: string;
  readonly namespaceOf: (tenant: string) => string;
  readonly placeOf: (tenant: string, cluster: ClusterRecord) => Promise<PodPlace>;
  readonly clock: Clock;
  readonly log: Log;
  /** Asks pods of the cluster. */
  readonly ask: AskJson;
  /** Gets files out of the HDFS of the cluster. */
  readonly hdfs: Download;
  /** Gets files from anywhere else. It must not reach what only the service itself can. */
  readonly download: Download;
  /** The host at which `ask` reaches the pod of a run. */
  readonly addressOf: (pod: PodObject) => string | undefined;
  readonly logBytes: number;
  readonly createSecret: () => string;
}

const pollMs = 500;
const progressMs = 2000;
const retryMs = 5000;

/** Files of the computer of the service are not those of pods. */
const noFiles = { jobFiles: undefined } as const;

export class PodJobs implements JobEngine {
  readonly schemes = { binaries: readableSchemes.filter((scheme) => scheme !== 'file'), sources: ['hdfs'] };
  readonly checks: EngineChecks;
  readonly #options: PodJobsOptions;
  readonly #closing = new AbortController();

  constructor(options: PodJobsOptions) {
    this.#options = options;
    this.checks = {
      source: (source) => checkKind(source, noFiles),
      binary: ({ url, extra = {} }) => checkUrl({ url, extra }, noFiles),
      job: (type) => checkType(options.engines, type),
      run: (plan) => this.#check(plan),
    };
    for (const run of options.runs.forgotten) void this.#removeForgotten(run);
  }

  /** What is to be removed is removed by the next life of the service. */
  close(): void {
    this.#closing.abort();
  }

  #check(plan: RunPlan): void {
    const namespace = this.#options.namespaceOf(plan.tenant);
    const place = { namespace, domain: 'cluster.local', secret: '' };
    checkPlan(plan, placeOfRun(plan.execution.id, plan.cluster, place), { ...noFiles, engines: this.#options.engines });
  }

  async submit(order: ExecutionOrder): Promise<string> {
    const { execution, signal } = order;
    const { runs, api } = this.#options;
    const name = runName(execution.id);
    if (runs.decision(execution.id) === 'killed') throw new Error('it was killed before it started');
    if (runs.decision(execution.id) === undefined) {
      const [setting, job] = await this.#prepare(order);
      signal.throwIfAborted();
      if (runs.decision(execution.id) === 'killed') throw new Error('it was killed before it started');
      await api.create(secrets, runSecret(setting));
      await api.create(jobs, job);
      // A kill that came meanwhile has found no Job.
      if (runs.decision(execution.id) === 'killed') await this.#removeObjects(setting.namespace, execution.id);
    }
    order.accepted(name);
    return name;
  }

  /** Gathers the files of the run, and describes its objects. Rejects before anything is made if it cannot work. */
  async #prepare(order: ExecutionOrder) {
    const { execution, cluster, tenant, mains, libs, input, output, signal } = order;
    const { runs, engines, clock, hdfs, download, placeOf, createSecret } = this.#options;
    const { id } = execution;
    const place = await placeOf(tenant, cluster);
    const { type, data, program } = planRun(order, placeOfRun(id, cluster, place), { ...noFiles, engines });
    const transfer = { signal, clock, get: hdfs };
    await checkPlace(input, data.input, { role: 'input', transfer });
    if (type.makesOutput === true) await checkPlace(output, data.output, { role: 'output', transfer });
    const { work } = runs.paths(id);
    mkdirSync(work, { recursive: true, mode: 0o700 });
    const binaries = placesOf(work, [...mains, ...libs]);
    for (const [file, binary] of binaries)
      await bring(file, binary, { ...data, signal, clock, get: download, getFromHdfs: hdfs });
    const texts = Object.entries(program.files ?? {});
    for (const [path, text] of texts) runs.write(id, path, text);
    const templates = new Set(texts.map(([path]) => path));
    runs.publish(id, [...[...binaries.keys()].map((file) => relative(work, file)), ...templates], templates);
    const setting = this.#settingOf(order, place, runs.token(id, createSecret));
    return [setting, runJob(setting, program)] as const;
  }

  #settingOf({ execution, cluster }: ExecutionOrder, { namespace }: PodPlace, token: string): RunSetting {
    const { runnerImage, pullSecrets, runnerUrl, imageOf } = this.#options;
    const url = `${runnerUrl}${runPath(execution.id)}`;
    const image = imageOf(cluster);
    return { execution: execution.id, namespace, cluster, image, runnerImage, pullSecrets, url, token };
  }

  async finish(order: ExecutionOrder): Promise<RunEnd> {
    const { execution, signal, tenant } = order;
    const { clock, namespaceOf, runs } = this.#options;
    const namespace = namespaceOf(tenant);
    let [left, progress, told] = [progressMs, execution.progress, execution.info.message ?? ''];
    for (;;) {
      const [job, pod] = await this.#look(namespace, execution.id);
      const code = exitCodeOf(pod);
      if (code !== undefined && pod !== undefined) return await this.#ended(order, pod, code);
      const end = job === undefined ? this.#lost(execution.id) : failureOf(job, pod);
      if (end !== undefined) return end;
      // What was in the way is over at some time, also an API server that did not answer.
      const problem = (pod && problemOfPod(pod)) ?? '';
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

  async #look(namespace: string, run: string): Promise<readonly [JobObject | undefined, PodObject | undefined]> {
    const { api } = this.#options;
    const job = await api.get<JobObject>(jobs, namespace, runName(run));
    const found = await api.list<PodObject>(pods, namespace, { labels: { [runLabel]: labelValue(run) } });
    // Of several pods, one has got the permit.
    return [job, found.find((pod) => hasProgram(pod)) ?? found[0]];
  }

  async #ended(order: ExecutionOrder, pod: PodObject, returnCode: number): Promise<RunEnd> {
    const { execution, tenant, cluster } = order;
    const { runs, logBytes, api, placeOf } = this.#options;
    const { id } = execution;
    const { namespace, name } = pod.metadata;
    const query = { container: programContainer, limitBytes: logBytes };
    if (!runs.hasOutput(id)) runs.keepOutput(id, await api.log(namespace, name, query));
    if (returnCode === 0) {
      order.report({ progress: 1 });
      return { status: 'SUCCEEDED', returnCode };
    }
    const { secret } = await placeOf(tenant, cluster);
    const message = problemWith(pod) ?? lastWords(runs.paths(id).output, [secret, ...secretsOf(order)]);
    return { status: 'FAILED', returnCode, message: message ?? `the program ended with exit code ${returnCode}` };
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

  async kill(order: RunOrder): Promise<void> {
    const { execution, tenant, cluster, signal } = order;
    const { runs, namespaceOf, clock, api, engines, placeOf, ask, log } = this.#options;
    const namespace = namespaceOf(tenant);
    runs.decide(execution.id, 'killed');
    const [, pod] = await this.#look(namespace, execution.id);
    await this.#keepLog(execution.id, pod);
    await this.#removeObjects(namespace, execution.id);
    const labels = { [runLabel]: labelValue(execution.id) };
    while ((await api.list(pods, namespace, { labels })).length > 0) {
      await sleep(clock, pollMs, signal);
      signal.throwIfAborted();
    }
    if (cluster === undefined) return;
    const place = placeOfRun(execution.id, cluster, await placeOf(tenant, cluster));
    // A cluster that does not answer must not keep the run from being killed.
    for (const type of engineOf(engines, cluster).jobs)
      await type.cancel?.(place, ask).catch((err: unknown) => {
        log.warn({ kind: 'JobExecution', externalId: execution.id, err }, 'cannot cancel a run on its cluster');
      });
  }

  /** The output of a run that is about to be ended, as far as there is some. */
  async #keepLog(run: string, pod: PodObject | undefined): Promise<void> {
    const { api, runs, logBytes } = this.#options;
    if (pod === undefined || runs.hasOutput(run)) return;
    const { namespace, name } = pod.metadata;
    const query = { container: programContainer, limitBytes: logBytes };
    const text = await api.log(namespace, name, query).catch(() => undefined);
    if (text !== undefined) runs.keepOutput(run, text);
  }

  async #removeObjects(namespace: string, run: string): Promise<void> {
    const { api } = this.#options;
    for (const kind of [jobs, secrets]) await api.remove(kind, namespace, runName(run));
  }

  async suspend(): Promise<void> {
    throw new Error('runs in pods cannot be suspended: cancel it');
  }

  pages(plan: Pick<RunPlan, 'cluster' | 'job'>): Readonly<Record<string, string>> {
    return pagesOf(this.#options.engines, plan);
  }

  async logs({ execution, tenant }: RunOrder, range: LogRange): Promise<LogPart | undefined> {
    const { runs, api, namespaceOf, logBytes } = this.#options;
    const { id } = execution;
    if (runs.isForgotten(id)) return undefined;
    if (runs.hasOutput(id)) return readOutput(runs.paths(id).output, range);
    if (runs.decision(id) !== 'started') return undefined;
    const [, pod] = await this.#look(namespaceOf(tenant), id);
    if (pod === undefined) return undefined;
    const { namespace, name } = pod.metadata;
    const text = await api.log(namespace, name, { container: programContainer, limitBytes: logBytes }).catch(() => '');
    const bytes = Buffer.from(text);
    const part = bytes.subarray(range.from, range.from + range.limit);
    return { text: part.toString('utf8'), next: range.from + part.length, total: bytes.length };
  }

  forget({ execution, tenant }: Pick<RunOrder, 'tenant' | 'execution'>): void {
    const { runs, namespaceOf } = this.#options;
    runs.decide(execution.id, 'killed');
    runs.forget(execution.id, namespaceOf(tenant));
    void this.#removeForgotten(execution.id);
  }

  /** Never rejects. */
  async #removeForgotten(run: string): Promise<void> {
    const { runs, clock, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#removeObjects(runs.namespaceOfForgotten(run), run);
        return runs.remove(run);
      } catch (err) {
        log.warn({ kind: 'JobExecution', externalId: run, err }, 'cannot remove the objects of a run yet');
        await sleep(clock, retryMs, signal);
      }
    }
  }
}

/** The address of a run is known when its pod is there. */
const placeOfRun = (id: string, cluster: ClusterRecord, place: PodPlace): RunPlace => ({
  id,
  nodes: nodesOf(cluster, place),
  folder: workFolder,
  address: anyAddress,
});
