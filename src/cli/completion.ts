// What the Tab key offers, and the scripts that ask for it. PURE.
import { parseArgs } from 'node:util';
import { type Access, type AccessFlags, accessOf, logsFlags, runFlags, type Shell, shells } from './cli-flags.ts';

/** The hidden command that the scripts run with the words up to the cursor. The last one is the word at the cursor. */
export const askCommand = '__complete';

interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
}

const commands = ['logs', 'run', 'completion', 'version', 'help'];
const flagsOf: Readonly<Record<string, Readonly<Record<string, Flag>>>> = { logs: logsFlags, run: runFlags };
const fileFlags = ['filename', 'kubeconfig', 'token-file'];

/** Words; or names of files, which the shell knows; or names of JobExecutions. */
export type Offer =
  | { readonly offer: 'words'; readonly words: readonly string[] }
  | { readonly offer: 'files' }
  | { readonly offer: 'executions'; readonly access: Access; readonly begin: string };

export function offerAt(line: readonly string[]): Offer {
  // Bash makes three words of --flag=value.
  const given = line
    .map((word, at) => (word === '=' && at === line.length - 1 ? '' : word))
    .filter((one) => one !== '=');
  const word = given.at(-1) ?? '';
  const [command, ...before] = given.slice(0, -1);
  const among = (all: readonly string[]): Offer => ({
    offer: 'words',
    words: all.filter((one) => one.startsWith(word)),
  });
  if (command === undefined) return among(commands);
  if (command === 'completion') return among(before.length === 0 ? shells : []);
  const flags = flagsOf[command];
  if (flags === undefined) return among([]);
  const open = valueOf(flags, before.at(-1));
  if (open !== undefined) return fileFlags.includes(open) ? { offer: 'files' } : among([]);
  const names = Object.keys(flags).map((name) => `--${name}`);
  if (command !== 'logs' || word.startsWith('-')) return among(names);
  const { values, positionals } = parseArgs({
    args: before,
    options: logsFlags,
    allowPositionals: true,
    strict: false,
  });
  if (positionals.length > 0) return among(names);
  return { offer: 'executions', access: accessOf(values as AccessFlags), begin: word };
}

/** The flag that the next word belongs to. */
function valueOf(flags: Readonly<Record<string, Flag>>, word = ''): string | undefined {
  const found = Object.entries(flags).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);
  return found?.[1].type === 'string' ? found[0] : undefined;
}

/** As kubectl expects it: words, and after a colon whether the shell adds names of files (0) or not (4). */
export function offerText(words: readonly string[], files: boolean): string {
  return [...words, files ? ':0' : ':4', ''].join('\n');
}

const ask = `kubectl-dataprocessing ${askCommand}`;

/** `-o default`: bash offers files where there is nothing else. */
const bash = `\
_kubectl_dataprocessing() {
  local IFS=$'\\n'
  COMPREPLY=($(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | sed '/^:/d'))
}
complete -o default -F _kubectl_dataprocessing kubectl-dataprocessing
`;

const zsh = `\
#compdef kubectl-dataprocessing
_kubectl_dataprocessing() {
  local -a found
  found=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[-1] == :0 ]]; then _files; else compadd -- "\${(@)found[1,-2]}"; fi
}
compdef _kubectl_dataprocessing kubectl-dataprocessing
`;

const fish = `\
function __kubectl_dataprocessing
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -e words[1]
  set -l found (${ask} $words "$word" 2>/dev/null)
  if test "$found[-1]" = :0
    __fish_complete_path "$word"
  else
    string match -v ':*' -- $found
  end
end
complete -c kubectl-dataprocessing -f -a '(__kubectl_dataprocessing)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, kubectl: `#!/bin/sh\nexec ${ask} "$@"\n` };

/** What the shell should evaluate. For `kubectl dataprocessing`, kubectl runs an executable `kubectl_complete-dataprocessing`. */
export function completionOf(shell: Shell): string {
  return scripts[shell];
}
