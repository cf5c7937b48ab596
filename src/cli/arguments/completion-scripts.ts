// The scripts with which shells and kubectl ask the plugin for completions. PURE.
import type { Shell } from './cli-flags.ts';
import { askCommand } from './completion.ts';

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
