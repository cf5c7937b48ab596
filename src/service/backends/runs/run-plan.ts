// Plans a run: where its data is, what its program gets, and what is certain to go wrong.
import { basename } from 'node:path';
import type { FlatConfigs } from '../../../wire/common.ts';
import type { JobType } from '../../../wire/jobs.ts';
import {
  type AskJson,
  type Engine,
  type EngineJob,
  type EngineNode,
  type EngineRun,
  engineOf,
  type Program,
  type RunPlace,
} from '../../engines/engine.ts';
import { checkTaken } from '../../engines/jobs/common.ts';
import type { PackageSet } from '../../engines/packages/coordinates.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import { isForService } from '../../model/references.ts';
import { checkNul, shortened } from '../../model/texts.ts';
import type { Flavors } from '../flavors-file.ts';
import type { EngineChecks, RunPlan, RunReport } from '../job-engine.ts';
import { checkBinary, checkUrl, pathOf, placesOf, storedText } from './binaries.ts';
import { checkKind, checkPlace, type DataPlace, type DataSettings, placeOf } from './data-sources.ts';
import { checkJobMemory, jobFlavorOf, memoryOf } from './job-flavor.ts';
import { jobQueueOf } from './job-queue.ts';
import { planS3, withoutS3 } from './s3-plan.ts';
import { checkEnvironment, checkRequirements, placesOfPackages, requirementsOf, type Suppliers } from './supplies.ts';
import type { Transfer } from './transfer.ts';

/** Decides which programs have a place, by the memory in MiB that they can take. */
export interface RunAdmission {
  /** Throws an Error with the remedy if the program never has one on this cluster. */
  check(memory: number, cluster: ClusterRecord): void;
  /** Throws `Transient` if it has none yet. A run that has one can ask again. */
  reserve(run: string, memory: number): void;
}

interface PlanOptions extends Flavors, Suppliers {
  /** When absent: every program has a place. */
  readonly admission?: RunAdmission;
  readonly engines: readonly Engine[];
  /** The folder below which jobs can use files of this computer. Undefined if they cannot. */
  readonly jobFiles: string | undefined;
}

/** Where the data of the run is. */
interface RunData extends DataSettings {
  readonly input: DataPlace | undefined;
  readonly output: DataPlace | undefined;
}

interface PlannedRun {
  readonly type: EngineJob;
  readonly data: RunData;
  readonly program: Program;
  /** In MiB: what it can take. */
  readonly memory: number;
  /** Undefined if it has none. */
  readonly packages: PackageSet | undefined;
  /** Those that the program gets with the files of its run. */
  readonly shipped: readonly string[];
}

/** The link of a run to the history server that outlives its cluster. */
export const historyLink = 'History';

/** The pages of the cluster that show runs of the job, and the one that does so when it is gone, by name. */
export function pagesOf(
  { engines, historyUrl }: Pick<PlanOptions, 'engines'> & { readonly historyUrl?: string | undefined },
  { cluster, job }: Pick<RunPlan, 'cluster' | 'job'>,
): Readonly<Record<string, string>> {
  const engine = engineOf(engines, cluster);
  const { shownOn = [] } = jobOf(engine, job.type);
  const pages = shownOn.flatMap((target) =>
    Object.entries(cluster.info[target] ?? {}).map(([label, url]) => [`${target} ${label}`, url] as const),
  );
  // Other addresses are for programs.
  const shown = Object.fromEntries(pages.filter(([, url]) => /^https?:/.test(url)));
  const isKept = shownOn.length > 0 && engine.keepsHistory?.(cluster) === true;
  return historyUrl !== undefined && isKept ? { ...shown, [historyLink]: historyUrl } : shown;
}

/** The packages of the run. Throws an Error with the remedy if it can have none. */
function packagesOf(job: EngineJob, { configs }: EngineRun, options: PlanOptions): PackageSet | undefined {
  const wanted = job.packages?.(configs);
  if (wanted !== undefined && typeof options.packages === 'string')
    throw new Error(`cannot run ${job.type} job: it needs packages of a Maven repository: ${options.packages}`);
  return wanted;
}

/** Throws an Error with the field and the remedy if the run cannot work. Nothing is written or started. `jars`: of its packages, once they are resolved. */
function planRun(plan: RunPlan, place: RunPlace, options: PlanOptions, jars?: readonly string[]): PlannedRun {
  const { engines, jobFiles } = options;
  const flavor = jobFlavorOf(plan, options);
  // Throws for a queue that jobs cannot name.
  jobQueueOf(plan, options, flavor);
  const engine = engineOf(engines, plan.cluster);
  const type = jobOf(engine, plan.job.type);
  const settings = { jobFiles, hdfs: engine.hdfs?.(place.nodes) };
  const { input, output } = plan;
  const data = { ...settings, input: placeOf(input, 'input', settings), output: placeOf(output, 'output', settings) };
  const planned = planS3(plan, place.folder, engine, type);
  const run = { ...engineRunOf(plan, place, urlsOf(plan, data)), packages: jars };
  const { configs } = run;
  const packages = packagesOf(type, run, options);
  const program = type.program(planned === undefined ? run : { ...run, s3: planned.s3, configs: withoutS3(configs) });
  checkTaken(type, run);
  if (flavor !== undefined) checkJobMemory(program, flavor);
  checkEnvironment(program, options);
  const memory = flavor?.memory ?? memoryOf(program);
  options.admission?.check(memory, plan.cluster);
  return {
    type,
    data,
    memory,
    packages,
    shipped: [],
    program: { ...program, files: { ...program.files, ...planned?.files } },
  };
}

/** Plans the run, and gets its packages. Rejects with the remedy unless its input exists, and unless its output does not, if the program makes it. No file of the run is written. */
export async function planCheckedRun(
  plan: RunPlan,
  place: RunPlace,
  options: PlanOptions,
  transfer: Transfer,
): Promise<PlannedRun> {
  const planned = planRun(plan, place, options);
  const { type, data } = planned;
  await checkPlace(plan.input, data.input, { role: 'input', transfer });
  if (type.makesOutput === true) await checkPlace(plan.output, data.output, { role: 'output', transfer });
  if (planned.packages === undefined || typeof options.packages === 'string') return planned;
  const jars = await options.packages.resolve(planned.packages, transfer.signal);
  if (options.shipsPackages !== true) return planRun(plan, place, options, jars);
  return { ...planRun(plan, place, options, placesOfPackages(place.folder, jars)), shipped: jars };
}

/** What is refused before it is stored. `placeOf` returns where a run would be, before anything of it is made. */
export const checksOf = (options: PlanOptions, placeOf: (plan: RunPlan) => RunPlace): EngineChecks => ({
  source: (source) => checkKind(source, options),
  binary: ({ url, extra = {} }) => checkUrl({ url, extra }, options),
  job: (type) => checkType(options.engines, type),
  files: (binaries) => void placesOf('/', binaries),
  run: (plan) => checkPlan(plan, placeOf(plan), options),
});

/** Throws an Error with the field and the remedy if the run cannot work, as far as that is certain before it starts. */
function checkPlan(plan: RunPlan, place: RunPlace, options: PlanOptions): void {
  const nodes = plan.cluster.status === 'Active' ? place.nodes : wantedNodes(plan.cluster);
  const { type, data, program } = planRun(plan, { ...place, nodes }, options);
  const binaries = [...plan.mains, ...plan.libs];
  placesOf(place.folder, binaries);
  for (const binary of binaries) checkBinary(binary, data);
  const requirements = requirementsOf(program);
  // Nothing else is read: the request waits for it, and so do others.
  for (const lib of plan.libs) {
    if (requirements === undefined || basename(pathOf('/', lib)) !== requirements) continue;
    const text = storedText(lib);
    if (text !== undefined) checkRequirements(requirements, text);
  }
  if (type.checkMain === undefined) return;
  for (const text of plan.mains.map(storedText)) if (text !== undefined) type.checkMain(text);
}

/** Throws if no engine has such jobs. */
function checkType(engines: readonly Engine[], type: JobType): void {
  const types = new Set(engines.flatMap(({ jobs }) => jobs.map((job) => job.type)));
  if (types.has(type)) return;
  const remedies = engines.flatMap(({ absentJobs = {} }) => absentJobs[type] ?? []);
  throw new Error(remedies.join('; ') || `no cluster runs it here, but ${[...types].join(', ')}`);
}

/** Throws if the engine has no such jobs. */
export function jobOf({ jobs, plugin, absentJobs = {} }: Engine, type: string): EngineJob {
  const job = jobs.find((each) => each.type === type);
  if (job !== undefined) return job;
  const types = jobs.map((each) => each.type).join(', ') || 'no jobs';
  throw new Error(`cannot run ${type} job: ${absentJobs[type] ?? `${plugin} runs ${types}`}`);
}

/** Of what a run waits for, in characters. It is kept for each run. */
const mostWaiting = 400;

/** A part of a text keeps all of that text in memory, so it is copied. Engines make it of the answers of pods, which can have anything in them. */
const waitingIn = (text: unknown): string =>
  typeof text === 'string' ? Buffer.from(shortened(text, mostWaiting)).toString() : '';

/** From 0 to 1. Undefined if it is no number: NaN differs from itself, so it would be stored anew each time. */
const progressIn = (share: unknown): number | undefined =>
  typeof share === 'number' && Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : undefined;

/** What is known of a run that goes on. Rejects if its program, or its cluster, does not answer. */
export async function observe(type: EngineJob, place: RunPlace, ask: AskJson): Promise<RunReport> {
  const { progress: share, waiting } = (await type.observe?.(place, ask)) ?? {};
  const progress = progressIn(share);
  return { message: waitingIn(waiting), ...(progress !== undefined && { progress }) };
}

/** Machines of a cluster that does not have all of them yet: one for each group, at an address that no machine has. */
const wantedNodes = (cluster: ClusterRecord): readonly EngineNode[] =>
  cluster.node_groups.map((group) => ({
    cluster,
    group,
    machine: { instance_id: group.id, instance_name: group.name },
    processes: group.node_processes,
    address: '127.77.0.0',
    folder: '/',
    secret: '',
  }));

interface RunUrls {
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** By the texts that refer to them. */
  readonly references: ReadonlyMap<string, string>;
}

/** The URLs of data sources for the program. Throws if one of them cannot be used. */
function urlsOf({ references }: RunPlan, { input, output, ...settings }: RunData): RunUrls {
  const referred = [...references].map(
    ([text, source]) => [text, placeOf(source, 'reference', settings)?.url ?? source.url] as const,
  );
  return { input: input?.url, output: output?.url, references: new Map(referred) };
}

function checkTexts(fields: Readonly<Record<'args' | 'configs' | 'params', FlatConfigs>>): void {
  for (const [field, texts] of Object.entries(fields))
    for (const [name, text] of Object.entries(texts)) {
      const at = field === 'args' ? `args[${name}]` : `${field} ${name.replaceAll('\0', '\\0')}`;
      checkNul(`cannot use ${at}: it`, `${name}${text}`);
    }
}

/**
 * How many characters the arguments and settings of a run have together, with the URLs of data sources in their place: one argument can be a few characters in
 * its row, and thousands there. An object of Kubernetes has room for several times as much, and so has Linux for what it gives to a program.
 */
const mostCharacters = 256 * 1024;

function checkLength({ args, configs, params }: Pick<EngineRun, 'args' | 'configs' | 'params'>): void {
  const settings = [configs, params].flatMap((values) => Object.entries(values).flat());
  const length = [...args, ...settings].reduce((sum: number, text) => sum + String(text).length, 0);
  if (length <= mostCharacters) return;
  throw new Error(
    `args, configs and params have ${length} characters, with the URLs of data sources in them, and the most is ${mostCharacters}: have the program read the rest from a file`,
  );
}

function engineRunOf(plan: RunPlan, place: RunPlace, { input, output, references }: RunUrls): EngineRun {
  const { mains, libs, job_configs } = plan;
  const { args = [], configs = {}, params = {} } = job_configs;
  if (!Array.isArray(args)) throw new Error('args have names: give a list of strings');
  checkTexts({ args: Object.fromEntries((args as readonly string[]).entries()), configs, params });
  const resolve = (text: string) => references.get(text) ?? text;
  const resolveArg = (text: string) =>
    (text === plan.input?.id ? input : text === plan.output?.id ? output : undefined) ?? resolve(text);
  const resolveIn = (values: FlatConfigs): FlatConfigs =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? resolve(value) : value]),
    );
  const forProgram = Object.fromEntries(Object.entries(configs).filter(([key]) => !isForService(key)));
  const given = {
    args: (args as readonly string[]).map(resolveArg),
    configs: resolveIn(forProgram),
    params: resolveIn(params),
  };
  checkLength(given);
  return {
    ...place,
    ...given,
    input,
    output,
    mains: mains.map((main) => pathOf(place.folder, main)),
    libs: libs.map((lib) => pathOf(place.folder, lib)),
  };
}
