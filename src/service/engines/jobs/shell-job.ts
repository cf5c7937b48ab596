// Jobs of the type Shell: a script, which needs nothing of an engine.
import type { FlatConfigs } from '../../../wire/common.ts';
import type { EngineJob, EngineRun } from '../engine.ts';
import { checkSettings, onlyMain } from './common.ts';

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
