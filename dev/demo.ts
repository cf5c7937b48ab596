// The demo: a real API server, the bundled service, the operator and the examples, until Ctrl-C.
import { parseArgs } from 'node:util';
import { reasonOf } from '../src/lib/errors.ts';
import { createDisplay, type Display } from './demo/display.ts';
import { lastLines } from './demo/programs.ts';
import { describeAll, hasStatus } from './demo/readiness.ts';
import { Cleanup, type Stage, setStage } from './demo/stage.ts';
import { changeAndDelete, create, type Scene } from './demo/story.ts';

const HELP = `Usage: npm run demo [-- OPTIONS]

Starts etcd and kube-apiserver, the bundled service and the operator, applies examples/, and shows the output of
\`kubectl get dataprocessing\` until everything is Ready. Then it prints kubectl commands to try, and keeps running until
Ctrl-C. The first run downloads or builds the API server and caches it. Everything else is in temporary folders, which
the demo removes. It does not need a Kubernetes cluster, and does not access one.

Options:
  --exit          scale up and down, add and remove a node group, delete everything, and exit: with code 0 if each
                  step succeeded in Kubernetes and in the service, else with code 1
  --stage-ms <n>  how long a cluster of the service stays in each status, in ms (1000)
  --help          show this text
`;

const namespace = 'default';

interface Options {
  readonly exit: boolean;
  readonly stageMs: number;
  readonly help: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      exit: { type: 'boolean', default: false },
      'stage-ms': { type: 'string', default: '1000' },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  const { 'stage-ms': stageMs } = values;
  if (!/^\d{1,5}$/.test(stageMs)) throw new Error('--stage-ms is not a number of ms below 100000');
  return { exit: values.exit, stageMs: Number(stageMs), help: values.help };
}

function explainUse({ kubeconfig, remote }: Stage): string {
  return `
Everything keeps running until Ctrl-C. In another terminal, in this folder, run:

  export KUBECONFIG=${kubeconfig}
  kubectl get dataprocessing
  kubectl describe dpc analytics
  kubectl edit dpc analytics                      # change a count under nodeGroups
  kubectl get dpc -w
  kubectl wait --for=condition=Ready clusters.dataprocessing.dev/analytics --timeout=2m
  kubectl delete -f examples/

To ask the service directly, run:

  curl -H 'X-Auth-Token: ${remote.token}' ${remote.url}/v1.0/${remote.tenant}/clusters
`;
}

/** Shows the objects and the log after a step failed. */
async function explainFailure(display: Display, { objects, examples, operator }: Stage): Promise<void> {
  const statuses = await describeAll(objects, examples.filter(hasStatus)).catch((error: unknown) => [reasonOf(error)]);
  display.print(`\nThe objects now:\n${statuses.map((line) => `  ${line}`).join('\n')}`);
  display.print(`\nThe end of the operator's log:\n${lastLines(await operator.program.log(), 25)}\n`);
}

async function play(options: Options, run: { readonly cleanup: Cleanup; readonly signal: AbortSignal }): Promise<void> {
  const display = createDisplay(process.stdout);
  const begun = performance.now();
  const broken = new AbortController();
  const onEnd = (what: string): void => {
    display.print(what);
    broken.abort(new Error(what));
  };
  const stage = await setStage({ namespace, stageMs: options.stageMs, print: display.print, onEnd }, run.cleanup);
  const scene: Scene = { ...stage, display, namespace, signal: AbortSignal.any([run.signal, broken.signal]) };
  try {
    await create(scene);
    if (options.exit) await changeAndDelete(scene);
  } catch (error) {
    if (!run.signal.aborted) await explainFailure(display, stage);
    throw error;
  }
  if (options.exit) return display.print(`All steps succeeded in ${Math.round((performance.now() - begun) / 1000)} s.`);
  display.print(explainUse(stage));
  await new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)));
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
  const options = readOptions();
  if (options.help) process.stdout.write(HELP);
  else process.exit(await main(options));
} catch (error) {
  process.stderr.write(`\ncannot finish the demo: ${reasonOf(error)}\n`);
  process.exit(1);
}
