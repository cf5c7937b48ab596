// The demo: a real API server, the bundled service, the operator and the examples, on this machine and for as long as it runs.
import { parseArgs } from 'node:util';
import { createDisplay, type Display } from './demo/display.ts';
import { lastLines } from './demo/programs.ts';
import { describeAll, hasStatus } from './demo/readiness.ts';
import { Cleanup, type Stage, setStage } from './demo/stage.ts';
import { changeAndDelete, create, type Scene } from './demo/story.ts';
import { reasonOf } from './plane/progress.ts';

const HELP = `Usage: npm run demo [-- OPTIONS]

Starts etcd and kube-apiserver, the bundled service and the operator, applies examples/ and shows what
\`kubectl get dataprocessing\` prints until all is Ready. Then it leaves everything running and tells how to use kubectl
against it, until Ctrl-C. The first time it downloads or builds the API server into a cache; everything else is in
temporary folders, which are gone in the end. It needs no cluster and touches none.

Options:
  --exit          go on by itself: scale up and down, add and remove a node group, delete everything; then end.
                  Exit code 0 if each step came true in Kubernetes and in the service, else 1
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
All of it keeps running until Ctrl-C. In another terminal, in this folder:

  export KUBECONFIG=${kubeconfig}
  kubectl get dataprocessing
  kubectl describe dpc analytics
  kubectl edit dpc analytics                      # change a count under nodeGroups
  kubectl get dpc -w
  kubectl wait --for=condition=Ready clusters.dataprocessing.dev/analytics --timeout=2m
  kubectl delete -f examples/

What the service says, past the operator:

  curl -H 'X-Auth-Token: ${remote.token}' ${remote.url}/v1.0/${remote.tenant}/clusters
`;
}

/** Everything that helps to see why a step did not come true. */
async function explainFailure(display: Display, { objects, examples, operator }: Stage): Promise<void> {
  const statuses = await describeAll(objects, examples.filter(hasStatus)).catch((error: unknown) => [reasonOf(error)]);
  display.say(`\nThe objects now:\n${statuses.map((line) => `  ${line}`).join('\n')}`);
  display.say(`\nThe end of the operator's log:\n${lastLines(await operator.program.log(), 25)}\n`);
}

async function play(options: Options, run: { readonly cleanup: Cleanup; readonly signal: AbortSignal }): Promise<void> {
  const display = createDisplay(process.stdout);
  const begun = performance.now();
  const broken = new AbortController();
  const onEnd = (what: string): void => {
    display.say(what);
    broken.abort(new Error(what));
  };
  const stage = await setStage({ namespace, stageMs: options.stageMs, say: display.say, onEnd }, run.cleanup);
  const scene: Scene = { ...stage, display, namespace, signal: AbortSignal.any([run.signal, broken.signal]) };
  try {
    await create(scene);
    if (options.exit) await changeAndDelete(scene);
  } catch (error) {
    if (!run.signal.aborted) await explainFailure(display, stage);
    throw error;
  }
  if (options.exit) return display.say(`Every step came true, in ${Math.round((performance.now() - begun) / 1000)} s.`);
  display.say(explainUse(stage));
  await new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)));
}

/** Resolves with the exit code; by then no process and no folder of ours is left. */
async function main(options: Options): Promise<number> {
  const stopping = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<number>();
  const stop = (signal: string): void => {
    // The second signal means: now. What we started ends with us, only less gently.
    if (stopping.signal.aborted) process.exit(1);
    process.stdout.write(`\n${signal}: ending everything.\n`);
    stopping.abort(new Error(`stopped by ${signal}`));
    resolve(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Nothing else keeps the process alive while all is quiet.
  const alive = setInterval(() => undefined, 60_000);
  const cleanup = new Cleanup();
  try {
    const played = play(options, { cleanup, signal: stopping.signal }).then(() => 0);
    // After a signal nobody waits for the play, and its failure is of no interest.
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
