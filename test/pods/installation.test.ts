// The quick start on a real node: the image, the manifests and the chart make pods that work, and a Spark cluster in pods.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { blocksIn, commandsIn, readPage } from '../e2e/support/documents.ts';
import { repository } from '../e2e/support/installation.ts';
import { expectSample, samplesIn } from '../e2e/support/samples.ts';
import {
  cannotInstall,
  importImages,
  inDemo,
  installByHelm,
  readClusters,
  readPods,
  run,
  scale,
  uninstall,
} from './support/installation.ts';

const [, section = ''] = readPage('README.md').split('\n## Quick start on a cluster\n');
const commands = commandsIn(section.split('\n## ')[0] ?? '').filter((command) => command.startsWith('kubectl '));
const isForward = (command: string): boolean => command.includes(' port-forward ');

/** Runs the command that forwards a port as long as the action takes. */
async function forwarding<T>(command: string | undefined, action: () => Promise<T>): Promise<T> {
  if (command === undefined || !isForward(command)) throw new Error('the page has no command that forwards a port');
  const env = { ...process.env, KUBECONFIG: inject('podsKubeconfig') };
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd: repository, env, stdio: 'ignore' });
  try {
    return await action();
  } finally {
    child.kill();
  }
}

const guide = readPage('docs/getting-started/spark-on-kubernetes.md');
const tutorial = blocksIn(guide, 'sh');
const [shorthand = ''] = tutorial;

/** The commands of the tutorial up to the clean-up. It has another terminal for the forwarded port. */
async function followTutorial(): Promise<string> {
  const script = tutorial.slice(0, -1).filter((block) => !isForward(block));
  const connects = 'until curl -s -o /dev/null http://127.0.0.1:8386/; do sleep 0.2; done';
  return forwarding(tutorial.find(isForward)?.trim(), async () => run(['set -e', connects, ...script].join('\n')));
}

/** The last block of the tutorial. */
const cleanUp = async (): Promise<string> => run(['set -e', shorthand, tutorial.at(-1)].join('\n'));

/** Backs up the files of the service, removes them, and restores them, as the page says. */
async function restoreService(): Promise<void> {
  const [, part = ''] = readPage('docs/how-to/back-up-and-restore.md').split('\n## The bundled service\n');
  const [backUp = '', restore = '', goOn = '', ...none] = blocksIn(part, 'sh');
  expect(none).toEqual([]);
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const local = (block: string): string =>
    block.replaceAll('service.tar', join(folder, 'service.tar')).replace(/image: .*/, `image: ${inject('podsImage')}`);
  const lose = `${inDemo} exec service-files -- sh -c 'rm -rf /data/service.db* /data/runs'`;
  await run(['set -e', local(backUp), lose, local(restore), goOn].join('\n'));
}

const readNodes = async (): Promise<string> => readClusters('status.nodes');

/** Those of the examples have run, and their schedule has made one, too. */
async function seeJobs(): Promise<void> {
  const outputOf = async (name: string) =>
    run(`'${process.execPath}' src/cli/main.ts logs ${name} -n dataprocessing-demo`);
  expect(await outputOf('wordcount-1')).toMatch(/^be: 2$[^]*^question: 1$[^]*^to: 2$/m);
  expect(await outputOf('sql-1')).toMatch(/^\| +0\| +34\| 1683\|$/m);
  await run(`${inDemo} wait --for=jsonpath='{.status.lastSuccessfulTime}' dpjs/wordcount --timeout=10m`);
  await run(`${inDemo} delete dpjs/wordcount --timeout=10m`);
}

/** All objects have been compared with the service by the operator that runs now. */
async function reconciled(mark: string): Promise<void> {
  await run(`${inDemo} annotate --overwrite dpc --all dataprocessing.dev/reconcile-requested-at=${mark}`);
  await run(`${inDemo} wait --for=jsonpath='{.status.lastHandledReconcileAt}'=${mark} dpc --all --timeout=10m`);
}

describe.skipIf(cannotInstall)('an installation', () => {
  beforeAll(importImages);

  test('works as the README says, keeps its clusters, and is taken over by the chart', async () => {
    onTestFinished(uninstall);
    const began = performance.now();
    let applied = began;
    const since = (time: number) => `${((performance.now() - time) / 1000).toFixed(1)} s`;
    for (const command of commands.filter((each) => !isForward(each))) {
      if (command.includes('-f examples/spark/')) applied = performance.now();
      await run(command);
      if (command.includes('condition=Ready'))
        console.info(`the quick start took ${since(began)}, its Spark cluster ${since(applied)}`);
    }
    expect(await readNodes()).toBe('3/3');
    await seeJobs();
    const pods = await readPods();
    expect(pods).toHaveLength(3);
    await forwarding(commands.find(isForward), async () => {
      const page = async () => (await fetch('http://127.0.0.1:8080/')).text();
      await expect.poll(page).toMatch(/Workers:<\/strong> 2 Alive/);
    });

    // Another pod of the service has the same clusters: nothing vanishes, and nothing is made again.
    await run(`${inDemo} rollout restart deployment/dataprocessing-service`);
    await run(`${inDemo} rollout status deployment/dataprocessing-service --timeout=10m`);
    await reconciled('restarted');
    expect([await readNodes(), await readPods()]).toEqual(['3/3', pods]);

    // A second replica would work with what it read when it started. It ends, and says why; the first one goes on.
    await run(`${inDemo} scale deployment/dataprocessing-service --replicas=2`);
    const why = "jsonpath='{.items[*].status.containerStatuses[*].lastState.terminated.message}'";
    const service = `${inDemo} get pods -l app.kubernetes.io/name=dataprocessing-service`;
    const refusals = async () => run(`${service} -o ${why}`);
    await expect.poll(refusals).toContain('another service uses it');
    await run(`${inDemo} scale deployment/dataprocessing-service --replicas=1`);
    await reconciled('alone');
    expect([await readNodes(), await readPods()]).toEqual(['3/3', pods]);

    await restoreService();
    await reconciled('restored');
    expect([await readNodes(), await readPods()]).toEqual(['3/3', pods]);

    const output = await followTutorial();
    for (const sample of samplesIn(guide)) expectSample(sample.output, output);
    expect(output).toMatch(/^spark +True +Available +Active +3\/3 /m);
    expect(output.match(/(?<=^\| +\d\| +)\d+\| \d+(?=\|$)/gm)).toEqual(['34| 1683', '33| 1617', '33| 1650']);
    expect(output.match(/-worker-\d +1\/1 +Running/g)).toHaveLength(2 + 3);

    const scaled = await readPods();
    expect(scaled).toHaveLength(4);
    expect(scaled).toEqual(expect.arrayContaining([...pods]));

    // The chart takes over what kubectl has installed. Pods of clusters get another template.
    await installByHelm('--set service.enabled=true --set "service.imagePullSecrets[0].name=registry"');
    await reconciled('upgraded');
    const template = "jsonpath='{.items[*].spec.template.spec.imagePullSecrets[*].name}'";
    const secrets = async () => run(`${inDemo} get statefulsets -o ${template}`);
    await expect.poll(secrets).toBe('registry registry');
    expect([await readNodes(), await readPods()]).toEqual(['4/4', scaled]);

    await scale('spark', 0, 1, '2/2');
    expect(scaled).toEqual(expect.arrayContaining([...(await readPods())]));
    // The second command finds nothing that it could print.
    expect((await cleanUp()).trim().split('\n')).toEqual(
      Array.from({ length: 12 }, () => expect.stringContaining('" deleted')),
    );
    expect(await readPods()).toEqual([]);
    // The executions of a schedule are garbage-collected after it.
    await expect.poll(async () => run(`${inDemo} get dataprocessing -o name`)).toBe('');
  });
});
