// The help texts of the plugin. PURE.

const cluster = `\
  -n, --namespace NS   the namespace              (that of the kubeconfig)
      --kubeconfig F   (KUBECONFIG, or ~/.kube/config)
      --context C      (the current one)
`;

const service = `\
      --token-file F   a file with a token for the service, if you may not read the Secret of the
                       Connection, or if the Connection uses Keystone
`;

const output = `\
  -o, --output FORMAT  json or yaml, for programs (text)
`;

const connection = `\
  -c, --connection C   the Connection to the service, or sharedconnection/NAME (default)
`;

const operator = `\
      --operator-namespace NS
                       the namespace of the operator (dataprocessing-system, or where its Lease is)
`;

const runs = `\
      --hide-info      leaves out lines of log4j at INFO, DEBUG and TRACE, such as those of Spark
${cluster}${service}`;

export const help = `\
Usage: kubectl dataprocessing COMMAND

Commands:
  why KIND/NAME        explains why an object is as it is: the true cause, and what you can do
  status               counts the objects of a namespace, and lists those that are not ready
  plan [KIND/NAME]     shows the writes to the service that wait for their approval
  plan -f FILE         shows what applying FILE would do in the service, and applies nothing
  approve KIND/NAME    approves the plan of an object, and waits until it is carried out
  logs EXECUTION       prints the output of a JobExecution
  run -f FILE          applies a JobExecution, follows it, and exits with its outcome
  orphans              lists what is in the service and belongs to no object of Kubernetes
  import               prints manifests for what is in the service
  doctor               checks the installation, your permissions and the Connections
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
${runs}`;

export const runHelp = `\
Usage: kubectl dataprocessing run -f FILE [flags]

Applies the objects in FILE, one of which must be a JobExecution, and prints what its run prints.
Exits with 0 if the run succeeds, with the exit code of its program if that failed, with 1 if the
run does not succeed otherwise or could not be applied, and with 2 if the command line or a file is
wrong. Ctrl-C stops following and exits with 130. The run goes on.
While the operator retries something by itself, the plugin waits.

  -f, --filename FILE  YAML or JSON, a folder of such files, or - for standard input. Can be
                       repeated
${runs}`;

const whyHelp = `\
Usage: kubectl dataprocessing why KIND/NAME [flags]

Explains why an object is as it is: what is wanted and what is there, which objects it waits for,
the cause, the last error, the next try, and what you can do. KIND is a kind, its plural or its
short name. Exits with 0 if nothing is wrong or it is only a matter of time, with 1 if something is
wrong or the object cannot be read, and with 2 if the command line is wrong.

Examples:
  kubectl dataprocessing why cluster/etl
  kubectl dataprocessing why dpje wordcount-1 -n team -o json

${output}${operator}${cluster}`;

const statusHelp = `\
Usage: kubectl dataprocessing status [flags]

Counts the objects of a namespace, and the SharedConnections that you may list, by kind and
readiness, and lists those that are not ready, with the reason. Exits with 0 if nothing needs you,
with 1 if something does or cannot be read, and with 2 if the command line is wrong.

Examples:
  kubectl dataprocessing status -n team
  kubectl dataprocessing status -A -o json

  -A, --all-namespaces all namespaces
${output}${cluster}`;

const planHelp = `\
Usage: kubectl dataprocessing plan [KIND/NAME] [flags]
       kubectl dataprocessing plan -f FILE [flags]

Shows the next write to the service for an object with the policy Plan or Observe: what is done, to
which object, whether that deletes, cancels, removes or scales down anything, the fields with the
values from and to, and the hash that approves it. Without an object, it lists all plans of the
namespace. The policy Observe needs no approval, because nothing is written: its plan is what Manage
would do. Exits with 0, also if no plan waits, with 1 if an object cannot be read, and with 2 if the
command line is wrong.

With -f, it shows what applying FILE would do in the service, and applies nothing: the next write
for each object of FILE, and for those that refer to them. It asks the API server what it would make
of FILE, and the service what is there, with your permissions. Exits as kubectl diff does: with 0 if
nothing would change in the service, with 1 if something would, and with 2 if an object is refused,
something cannot be read, or the command line is wrong.

Examples:
  kubectl dataprocessing plan -n team
  kubectl dataprocessing plan cluster/etl -o json
  kubectl kustomize overlays/production | kubectl dataprocessing plan -f -

  -f, --filename FILE  YAML or JSON, a folder of such files, or - for standard input. Can be
                       repeated
  -A, --all-namespaces the plans of all namespaces
${output}${cluster}${service}`;

const approveHelp = `\
Usage: kubectl dataprocessing approve KIND/NAME [flags]

Shows the plan that waits in status.plan, asks for "yes", and sets the annotation that approves
exactly this plan. If the object changes meanwhile, nothing is approved that was not shown. Then it
waits until the operator has carried out the plan, and prints what came of it. Exits with 0 if the
plan was carried out, or approved with --no-wait, with 1 if no plan waits, it was not approved, the
service refuses it, another plan took its place or the time is over, and with 2 if the command line
is wrong or nobody can be asked.

Examples:
  kubectl dataprocessing approve cluster/etl
  kubectl dataprocessing approve dpc etl -n team --yes --hash 1f0c2d3e4b5a6978 -o json

  -y, --yes            approves without asking, which is needed where there is no terminal
      --hash HASH      approves only the plan with this hash
      --no-wait        does not wait until the plan is carried out
      --timeout TIME   how long it waits: 30s, 5m or 1h (10m)
${output}${cluster}`;

const orphansHelp = `\
Usage: kubectl dataprocessing orphans [flags]

Lists what is in the service of a Connection and belongs to no object of Kubernetes that you may
read: its collection, name, identifier, age and who made it, by the mark in its name. It deletes
nothing. Exits with 0, also if there are orphans, with 1 if the service or Kubernetes cannot be read
completely, and with 2 if the command line is wrong.

Examples:
  kubectl dataprocessing orphans -n team
  kubectl dataprocessing orphans -c production --token-file token -o json

${connection}${output}${cluster}${service}`;

const importHelp = `\
Usage: kubectl dataprocessing import [NAME|ID...] [flags]

Prints manifests for what is in the service of a Connection and belongs to no object of Kubernetes:
images, templates, clusters, data sources, job binaries and jobs. They observe what they adopt, and
change nothing until you set spec.policy to Manage. Secrets are left out. Exits with 0, with 1 if
the service or Kubernetes cannot be read completely or a name is not there, and with 2 if the
command line is wrong.

Examples:
  kubectl dataprocessing import -n team > estate.yaml
  kubectl dataprocessing import analytics --connection production

      --all            also what another installation of the operator made
  -o, --output FORMAT  yaml or json (yaml)
${connection}${cluster}${service}`;

const doctorHelp = `\
Usage: kubectl dataprocessing doctor [flags]

Checks the CRDs, the operator and its Lease, versions, your permissions, the Connections of the
namespace and the SharedConnections that its objects name, clocks, the network policy, and the most
frequent mistakes. Exits with 0 if all is well, with 1 if something is wrong, and with 2 if the
command line is wrong.

Examples:
  kubectl dataprocessing doctor -n team
  kubectl dataprocessing doctor -o json

${output}${operator}${cluster}${service}`;

const completionHelp = `\
Usage: kubectl dataprocessing completion SHELL

Prints a script that completes commands: bash, zsh or fish, for the command kubectl-dataprocessing,
or kubectl, for the program that kubectl asks.

Examples:
  source <(kubectl dataprocessing completion bash)
  kubectl dataprocessing completion kubectl > ~/.local/bin/kubectl_complete-dataprocessing
`;

/** By command. */
export const commandHelp: Readonly<Record<string, string>> = {
  why: whyHelp,
  status: statusHelp,
  plan: planHelp,
  approve: approveHelp,
  logs: logsHelp,
  run: runHelp,
  orphans: orphansHelp,
  import: importHelp,
  doctor: doctorHelp,
  completion: completionHelp,
};
