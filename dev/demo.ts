// The demo: a real API server, the bundled service, the operator and the examples, until Ctrl-C.
import { reasonOf } from '../src/lib/errors.ts';
import { type FlagValues, flagsHelp, helpFlag, integer } from '../src/lib/flags.ts';
import { createDisplay, type Display } from './demo/display.ts';
import { prepareEngine } from './demo/engine.ts';
import { keepLog, lastLines } from './demo/programs.ts';
import { describeAll, hasStatus } from './demo/readiness.ts';
import { removeSpark, runOnSpark, type SparkScene } from './demo/spark-story.ts';
import { Cleanup, type Stage, setStage } from './demo/stage.ts';
import { changeAndDelete, create, type Scene } from './demo/story.ts';
import { readOptionsOf } from './options.ts';

const table = {
  exit: {
    help: 'delete everything in the end, and exit: with code 0 if each step succeeded in Kubernetes, in the service and in Spark, else with code 1. Simulated clusters are scaled, and get and lose a node group, before',
  },
  simulated: { help: 'simulate clusters' },
  'stage-ms': {
    schema: integer(0, 99_999),
    value: '<n>',
    default: '1000',
    help: 'how long a simulated cluster stays in each status, in ms',
  },
  ...helpFlag,
} as const;

const HELP = `Usage: npm run demo [-- OPTIONS]

Starts etcd and kube-apiserver, the bundled service and the operator. On Linux with Java 17 or newer it runs a real Spark
cluster: it applies examples/spark/, counts words with a job, and scales the cluster meanwhile. Elsewhere, and with
--simulated, it applies examples/ to a service that simulates clusters. It shows the output of \`kubectl get
dataprocessing\` until everything is Ready. Then it prints kubectl commands to try, and keeps running until Ctrl-C.

The first run downloads or builds the API server, and installs Spark. It caches both. Everything else is in temporary
folders, which the demo removes. After a failure, the logs are in .demo/. It does not need a Kubernetes cluster, and
does not access one.

Options:
${flagsHelp(table)}`;

const namespace = 'default';

/** Logs of a demo that failed, in the working directory. */
const keptLogs = '.demo';

type Options = FlagValues<typeof table>;

/** What to try in another terminal: on the real cluster, or on the examples. */
const simulatedCommands = `kubectl describe dpc analytics
  kubectl edit dpc analytics                      # change a count under nodeGroups
  kubectl get dpc -w
  kubectl wait --for=condition=Ready clusters.dataprocessing.dev/analytics --timeout=2m
  kubectl delete -f examples/`;
const sparkCommands = `kubectl describe dpc spark
  kubectl edit dpc spark                          # change a count under nodeGroups
  kubectl get dpc -w
  kubectl delete dpc spark`;

function explainUse({ kubeconfig, remote }: Stage, commands: string): string {
  return `
Everything keeps running until Ctrl-C. In another terminal, in this folder, run:

  export KUBECONFIG=${kubeconfig}
  kubectl get dataprocessing
  ${commands}

To ask the service directly, run:

  curl -H 'X-Auth-Token: ${remote.token}' ${remote.url}/v1.0/${remote.tenant}/clusters
`;
}

/** Shows the objects and the logs after a step failed. */
async function explainFailure(display: Display, { objects, examples, operator, service }: Stage): Promise<void> {
  const statuses = await describeAll(objects, examples.filter(hasStatus)).catch((error: unknown) => [reasonOf(error)]);
  display.print(`\nThe objects now:\n${statuses.map((line) => `  ${line}`).join('\n')}`);
  for (const { program } of [service, operator]) {
    const kept = await keepLog(program, keptLogs);
    display.print(`\nThe end of the log of the ${program.name}, which is kept in ${kept}:`);
    display.print(`${lastLines(await program.log(), 25)}\n`);
  }
}

async function play(options: Options, run: { readonly cleanup: Cleanup; readonly signal: AbortSignal }): Promise<void> {
  const display = createDisplay(process.stdout);
  const begun = performance.now();
  const broken = new AbortController();
  const onEnd = (what: string): void => {
    display.print(what);
    broken.abort(new Error(what));
  };
  const engine = options.simulated ? undefined : await prepareEngine(process.stdout);
  const stageMs = options['stage-ms'];
  const stage = await setStage({ namespace, stageMs, engine, print: display.print, onEnd }, run.cleanup);
  const scene: Scene = { ...stage, display, namespace, signal: AbortSignal.any([run.signal, broken.signal]) };
  try {
    await (engine === undefined
      ? tellSimulated(scene, options)
      : tellSpark({ ...scene, spark: engine.spark, version: engine.version }, options));
  } catch (error) {
    if (!run.signal.aborted) await explainFailure(display, stage);
    throw error;
  }
  if (options.exit) return display.print(`All steps succeeded in ${Math.round((performance.now() - begun) / 1000)} s.`);
  display.print(explainUse(stage, engine === undefined ? simulatedCommands : sparkCommands));
  await new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)));
}

async function tellSimulated(scene: Scene, { exit }: Options): Promise<void> {
  await create(scene);
  if (exit) await changeAndDelete(scene);
}

async function tellSpark(scene: SparkScene, { exit }: Options): Promise<void> {
  const applied = await runOnSpark(scene);
  if (exit) await removeSpark(scene, applied);
}

/** Resolves with the exit code, after all processes have ended and all temporary folders are removed. */
async function main(options: Options): Promise<number> {
  const stopping = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<number>();
  const stop = (signal: string): void => {
    // A second signal ends the process at once. Its child processes are then killed.
    if (stopping.signal.aborted) process.exit(1);
    process.stdout.write(`\n${signal}: stopping everything.\n`);
    stopping.abort(new Error(`stopped by ${signal}`));
    resolve(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Keeps the process alive while nothing else does.
  const alive = setInterval(() => undefined, 60_000);
  const cleanup = new Cleanup();
  try {
    const played = play(options, { cleanup, signal: stopping.signal }).then(() => 0);
    // After a signal, a failure is ignored.
    played.catch(() => undefined);
    return await Promise.race([played, stopped]);
  } finally {
    await cleanup.run();
    clearInterval(alive);
  }
}

try {
  const options = readOptionsOf(table, process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else process.exit(await main(options));
} catch (error) {
  process.stderr.write(`\ncannot finish the demo: ${reasonOf(error)}\n`);
  process.exit(1);
}
