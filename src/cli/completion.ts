// Scripts that complete the commands and flags of the plugin. PURE.

/** `kubectl`: the program that kubectl itself asks. */
export const shells = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof shells)[number];

const commands = ['logs', 'run', 'completion', 'version', 'help'];
const flags = [
  '--namespace',
  '--kubeconfig',
  '--context',
  '--token-file',
  '--follow',
  '--tail',
  '--filename',
  '--help',
];

/**
 * What the shell should evaluate. For `kubectl dataprocessing`, kubectl runs an executable `kubectl_complete-dataprocessing`, which prints
 * words and, after a colon, what the shell may do with them: 4 is to add no names of files.
 */
export function completionOf(shell: Shell): string {
  const words = [...commands, ...flags].join(' ');
  switch (shell) {
    case 'bash':
      return `complete -W "${words}" kubectl-dataprocessing\n`;
    case 'zsh':
      return `#compdef kubectl-dataprocessing\ncompdef '_arguments "*: :(${words})"' kubectl-dataprocessing\n`;
    case 'kubectl':
      return `#!/bin/sh\nprintf '%s\\n' ${words} :4\n`;
    case 'fish':
      return `complete -c kubectl-dataprocessing -f -a "${words}"\n`;
  }
}
