// What several types of jobs have in common: their main files and classes, what is refused before they run, and how they are asked.
import type { FlatConfigs } from '../../../wire/common.ts';
import type { AskJson, EngineJob, EngineRun } from '../engine.ts';
import { jobRules } from '../job-types.ts';

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

export const mainClass = 'edp.java.main_class';
export const mainClassOption = { name: mainClass, default: '', description: 'The main class of the program' };

/** Throws if it is missing. */
export function mainClassOf({ configs }: Pick<EngineRun, 'configs'>, type: string): string {
  const name = configs[mainClass];
  if (typeof name === 'string' && /^[\w$.]+$/.test(name)) return name;
  throw new Error(`cannot run ${type} job: configs have no name of a class in ${mainClass}: set it`);
}
