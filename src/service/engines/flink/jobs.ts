// Jobs of the type Java: a jar of Flink. Its program is a process of its own, which submits one job to the job manager and ends with it.
import { join } from 'node:path';
import type { AskJson, EngineJob, EngineRun, Program, RunPlace } from '../engine.ts';
import { askFor, checkSettings, mainClass, mainClassOf, mainClassOption } from '../jobs/common.ts';
import { countIn } from '../load.ts';
import { commandOf, type FlinkHome, filesIn, restOf } from './launch.ts';
import { jobSettings, settingsOf } from './options.ts';

const type = 'Java';
/** The folder in that of the run with what is not the job's. */
const own = '.flink';

/** The identifier that the job of the run has in Flink: 32 hexadecimal digits. */
export const jobIdOf = ({ id }: Pick<RunPlace, 'id'>): string => id.replaceAll('-', '').padEnd(32, '0').slice(0, 32);

function checkConfigs({ configs }: EngineRun): void {
  checkSettings(configs, type, [mainClass]);
  const known = jobSettings.map(({ name }) => name);
  const refuse = (why: string) => new Error(`cannot run ${type} job: configs have ${why}`);
  for (const [name, value] of Object.entries(configs)) {
    if (name.startsWith('edp.') || value === '') continue;
    const option = jobSettings.find((each) => each.name === name);
    if (option === undefined)
      throw refuse(`${name}, which no job can set: the known ones are ${known.join(', ')}; set others in the program`);
    const [pattern, form = ''] = option.form ?? [];
    if (pattern?.test(String(value)) === false) throw refuse(`${name} ${value}: give ${form}`);
  }
}

/** Flink sends one jar to its task managers. */
function jarOf({ mains, libs }: EngineRun): string {
  const [jar, ...others] = libs;
  if (jar !== undefined && others.length === 0 && mains.length === 0) return jar;
  throw new Error(
    `cannot run ${type} job: it has ${mains.length} mains and ${libs.length} libs: name one jar in libs, which contains all that the program needs besides Flink`,
  );
}

function program(home: FlinkHome, run: EngineRun): Program {
  checkConfigs(run);
  const [jar, main, rest] = [jarOf(run), mainClassOf(run, type), restOf(run.nodes)];
  const [head] = run.nodes;
  if (rest === undefined || head === undefined)
    throw new Error(`cannot run ${type} job: its cluster has no job manager`);
  const { hostname, port } = new URL(rest);
  const given = Object.entries(run.configs).filter(([name, value]) => !name.startsWith('edp.') && value !== '');
  const settings = {
    ...settingsOf(head),
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    'execution.target': 'remote',
    'rest.address': hostname,
    'rest.port': port,
    // By it, the service finds the job of the run. A program that runs a second one fails.
    '$internal.pipeline.job-id': jobIdOf(run),
    // The job manager cancels a job whose program is gone.
    'execution.attached': true,
    'execution.shutdown-on-attached-exit': true,
    'client.heartbeat.interval': '5000 ms',
    'client.heartbeat.timeout': '60000 ms',
  };
  const conf = join(run.folder, own);
  const command = commandOf(home, {
    conf,
    memory: ['-Xmx256m', '-XX:TieredStopAtLevel=1'],
    main: 'org.apache.flink.client.cli.CliFrontend',
    args: ['run', '--target', 'remote', '--class', main, jar, ...run.args],
  });
  return { ...command, files: filesIn(own, settings, 'error') };
}

interface FlinkJob {
  readonly 'job-type'?: string;
  /** The number of tasks by their state. */
  readonly 'status-counts'?: Readonly<Record<string, unknown>>;
}

/** A stream has no end. A job that waits for slots has none of its tasks running. */
function observed({ 'job-type': kind, 'status-counts': counts = {} }: FlinkJob) {
  const count = (...states: readonly string[]) => states.reduce((sum, state) => sum + countIn(counts[state]), 0);
  const all = Object.values(counts).reduce<number>((sum, each) => sum + countIn(each), 0);
  const [waiting, begun] = [count('CREATED', 'SCHEDULED'), count('DEPLOYING', 'INITIALIZING', 'RUNNING', 'FINISHED')];
  return {
    progress: kind === 'BATCH' && all > 0 ? count('FINISHED') / all : undefined,
    ...(waiting > 0 && begun === 0 && { waiting: `waiting for free task slots: none of its ${all} tasks has one yet` }),
  };
}

const over = ['FINISHED', 'FAILED', 'CANCELED'];

/** Whether the job manager has the job, and that has not ended. */
const goesOn = (place: RunPlace, rest: string, ask: AskJson): Promise<boolean> =>
  askFor(ask, `${rest}/jobs`, (answer) => {
    const { jobs = [] } = answer as { readonly jobs?: readonly { readonly id: string; readonly status: string }[] };
    const job = jobs.find(({ id }) => id === jobIdOf(place));
    return job !== undefined && !over.includes(job.status);
  });

export const flinkJob = (home: FlinkHome): EngineJob => ({
  type,
  hints: { options: [mainClassOption, ...jobSettings], takes: ['args'] },
  shownOn: ['Flink'],
  program: (run) => program(home, run),
  async observe(place, ask) {
    const rest = restOf(place.nodes);
    if (rest === undefined) return { progress: undefined };
    return observed((await ask(`${rest}/jobs/${jobIdOf(place)}`)) as FlinkJob);
  },
  async cancel(place, ask) {
    const rest = restOf(place.nodes);
    // It is for whoever can send nothing but GET. What it answers is not interesting.
    if (rest !== undefined && (await goesOn(place, rest, ask))) await ask(`${rest}/jobs/${jobIdOf(place)}/yarn-cancel`);
  },
});
