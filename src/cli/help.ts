// The help texts of the plugin. PURE.

const common = `\
      --hide-info      leaves out lines of log4j at INFO, DEBUG and TRACE, such as those of Spark
  -n, --namespace NS   the namespace              (that of the kubeconfig)
      --kubeconfig F   (KUBECONFIG, or ~/.kube/config)
      --context C      (the current one)
      --token-file F   a file with a token for the service, if you may not read the Secret of the
                       Connection, or if the Connection uses Keystone
`;

export const help = `\
Usage: kubectl dataprocessing COMMAND

Commands:
  logs EXECUTION       prints the output of a JobExecution
  run -f FILE          applies a JobExecution, follows it, and exits with its outcome
  completion SHELL     prints a script that completes commands: bash, zsh, fish or kubectl
  version              prints the version

kubectl dataprocessing COMMAND --help shows the flags of a command.
`;

export const logsHelp = `\
Usage: kubectl dataprocessing logs EXECUTION [flags]

Prints the output of the run of a JobExecution. The service keeps it as long as the run.

  -f, --follow         waits for the run to start, prints what it adds until it ends, and exits with
                       the exit code of its program, or with 1 if it does not succeed otherwise
      --tail N         only the last N lines
${common}`;

export const runHelp = `\
Usage: kubectl dataprocessing run -f FILE [flags]

Applies the objects in FILE, one of which must be a JobExecution, and prints what its run prints.
Exits with 0 if the run succeeds, with the exit code of its program if that failed, with 1 if the
run does not succeed otherwise or could not be applied, and with 2 if the command line or a file is
wrong. Ctrl-C stops following and exits with 130. The run goes on.
While the operator retries something by itself, the plugin waits.

  -f, --filename FILE  YAML or JSON, a folder of such files, or - for standard input. Can be
                       repeated
${common}`;
