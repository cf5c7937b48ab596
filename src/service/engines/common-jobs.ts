// The types of jobs that need nothing of an engine: a shell script, and a Java program. And what several engines do for their jobs.
import type { FlatConfigs } from '../../wire/common.ts';
import type { AskJson, EngineJob, EngineRun } from './engine.ts';
import { jobRules } from './job-types.ts';

/**
 * What is kept of an answer. Whoever asks several questions holds no more than that while it waits for the next answer: a whole one can take 40 MB, and many
 * runs are asked at a time.
 */
export async function askFor<T>(ask: AskJson, url: string, kept: (answer: unknown) => T): Promise<T> {
  return kept(await ask(url));
}

/** The only main file of the run. Throws if there is another number of them. */
export function onlyMain({ mains }: EngineRun, type: string, wanted: string): string {
  const [main, ...others] = mains;
  if (main !== undefined && others.length === 0) return main;
  throw new Error(`cannot run ${type} job: mains has ${mains.length} binaries: name one, ${wanted}`);
}

/** The settings of the service itself. They begin with `edp.`, and an unknown one is a typo. */
export function checkSettings(configs: FlatConfigs, type: string, known: readonly string[]): void {
  const unknown = Object.keys(configs).find((key) => key.startsWith('edp.') && !known.includes(key));
  if (unknown === undefined) return;
  const remedy = known.length === 0 ? 'leave it out' : `the known ones are ${known.join(', ')}`;
  throw new Error(`cannot run ${type} job: configs have ${unknown}, which means nothing here: ${remedy}`);
}

/** Throws if the run has params or args that its type would ignore. */
export function checkTaken({ type, hints }: Pick<EngineJob, 'type' | 'hints'>, { params, args }: EngineRun): void {
  const { takes } = hints ?? jobRules[type].hints;
  const [param] = Object.keys(params);
  const remedy = takes.length === 0 ? 'leave it out' : `pass it in ${takes.join(' or ')}`;
  if (param !== undefined && !takes.includes('params'))
    throw new Error(`cannot run ${type} job: params have ${param}, but jobs of this type take no params: ${remedy}`);
  if (args.length > 0 && !takes.includes('args'))
    throw new Error(`cannot run ${type} job: it has args, but jobs of this type take none: ${remedy}`);
}

/** Throws if a setting is probably a typo, which the engine would ignore. `meant`: finds the name that it has instead. */
export function checkNames(
  configs: FlatConfigs,
  type: string,
  engine: string,
  meant: (name: string) => string | undefined,
): void {
  for (const name of Object.keys(configs)) {
    const known = meant(name);
    if (known !== undefined)
      throw new Error(
        `cannot run ${type} job: configs have ${name}, which ${engine} does not know: did you mean ${known}?`,
      );
  }
}

/** Variables that the shells of Linux set themselves when they start, or that they do not let anybody set. */
const ofShell =
  /^(_|IFS|LINENO|OPT(IND|ERR)|P?PID|(OLD)?PWD|E?UID|GROUPS|SHELLOPTS|SHLVL|S?RANDOM|(EPOCH)?SECONDS|EPOCHREALTIME|FUNCNAME|DIRSTACK|PIPESTATUS|HISTCMD|PS[1-4]|POSIXLY_CORRECT|COMP_WORDBREAKS|BASH(OPTS|PID|_(ARG\w+|COMMAND|LINENO|SOURCE|SUBSHELL|VERS\w+))?)$/;
/** The service has variables of its own, by which it finds the processes of a run. */
const ofService = 'DATAPROCESSING_';

function checkVariable(name: string): void {
  const refuse = (why: string) => new Error(`cannot run Shell job: params have ${name}, which ${why}: rename it`);
  if (!/^[A-Za-z_]\w*$/.test(name)) throw refuse('is no name of an environment variable');
  if (ofShell.test(name)) throw refuse('the shell sets itself');
  if (name.startsWith(ofService)) throw refuse('is a variable of the service');
}

function checkShell({ configs, params }: EngineRun): void {
  checkSettings(configs, 'Shell', []);
  const [config] = Object.keys(configs);
  if (config !== undefined)
    throw new Error(`cannot run Shell job: configs have ${config}, but a script has none: pass it in params`);
  for (const name of Object.keys(params)) checkVariable(name);
}

const asText = (values: FlatConfigs): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** The main is a script. Its libs are beside it, its params are its environment. */
export const shellJob: EngineJob = {
  type: 'Shell',
  hints: { options: [], takes: ['params', 'args'] },
  program(run) {
    checkShell(run);
    const main = onlyMain(run, 'Shell', 'the script');
    return { file: '/bin/sh', args: [main, ...run.args], env: asText(run.params) };
  },
};

export const mainClass = 'edp.java.main_class';
export const mainClassOption = { name: mainClass, default: '', description: 'The main class of the program' };

/** Throws if it is missing. */
export function mainClassOf({ configs }: Pick<EngineRun, 'configs'>, type: string): string {
  const name = configs[mainClass];
  if (typeof name === 'string' && /^[\w$.]+$/.test(name)) return name;
  throw new Error(`cannot run ${type} job: configs have no name of a class in ${mainClass}: set it`);
}

/** The libs are jars. A Java job has no mains. `java`: what runs them. `classPath`: what comes after them. */
export const javaJob = (java: string, classPath: readonly string[] = []): EngineJob => ({
  type: 'Java',
  hints: { options: [mainClassOption], takes: ['args'] },
  program(run) {
    const { args, configs, folder, libs } = run;
    checkSettings(configs, 'Java', [mainClass]);
    const other = Object.keys(configs).find((key) => key !== mainClass);
    if (other !== undefined)
      throw new Error(`cannot run Java job: configs have ${other}, but a Java program has none: pass it in args`);
    const path = [...libs, ...classPath].join(':');
    const memory = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:-UsePerfData', `-Djava.io.tmpdir=${folder}`];
    return { file: java, args: [...memory, '-cp', path, mainClassOf(run, 'Java'), ...args], env: {} };
  },
});
