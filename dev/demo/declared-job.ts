// A job as Kubernetes objects: its program, the job, and one run of it on the cluster of the demo.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { SparkJob } from './jobs.ts';
import { fetchLog } from './jobs.ts';
import { type Found, type Manifest, titleOf } from './manifests.ts';
import type { Scene } from './story.ts';
import { NotYet, waitUntil } from './waiting.ts';

const apiVersion = 'dataprocessing.dev/v1alpha1';
const name = 'word-count';
const jobMs = 180_000;

/** `file` is where the service finds the program. */
function manifestsOf({ mainClass, args }: SparkJob, file: string, cluster: string): readonly Manifest[] {
  const metadata = { name };
  const configs = { 'edp.java.main_class': mainClass };
  return [
    { apiVersion, kind: 'JobBinary', metadata, spec: { url: `file://${file}` } },
    { apiVersion, kind: 'Job', metadata, spec: { type: 'Spark', mains: [{ jobBinaryRef: { name } }] } },
    {
      apiVersion,
      kind: 'JobExecution',
      metadata,
      spec: { jobRef: { name }, clusterRef: { name: cluster }, configs, args },
    },
  ];
}

/** Applies the job as YAML and waits for the end of its run. Returns what was applied, the run first. */
export async function runDeclared(scene: Scene, job: SparkJob, cluster: string): Promise<readonly Manifest[]> {
  const { display, objects } = scene;
  const file = join(scene.files, `${name}.jar`);
  await writeFile(file, job.jar);
  const manifests = manifestsOf(job, file, cluster);
  display.print(`The same job, declared as YAML:\n${manifests.map((one) => indented(stringify(one))).join('  ---\n')}`);
  for (const manifest of manifests) await objects.apply(manifest);
  const run = manifests.at(-1);
  if (run === undefined) throw new Error('cannot run a job: nothing was declared');
  const ended = await display.showWhile(scene, waitForEnd(scene, run));
  const { state, duration, id = '' } = (ended.status ?? {}) as Readonly<Record<string, string>>;
  const log = await fetchLog(scene.remote, id);
  if (state !== 'Succeeded') throw new Error(`cannot run ${titleOf(run)}: it is ${state}:\n${log}`);
  display.print(`${titleOf(run)} is ${state} after ${duration}. Its output:\n${wordsIn(log).join('\n')}`);
  return manifests.toReversed();
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/** Spark logs to the same output. */
export const wordsIn = (log: string): readonly string[] =>
  log.split('\n').filter((line) => /^ *\d+ [a-z]+$/.test(line));

function waitForEnd({ objects, signal }: Scene, run: Manifest): Promise<Found> {
  const probe = async (): Promise<Found | NotYet> => {
    const found = await objects.read(run);
    const conditions = found?.status?.conditions ?? [];
    const isOver = conditions.some(({ type, status }) => /^(Complete|Failed)$/.test(type) && status === 'True');
    const ready = conditions.find(({ type }) => type === 'Ready');
    return found && isOver ? found : new NotYet(`it is ${ready?.reason}: ${ready?.message}`);
  };
  return waitUntil(`see the end of ${titleOf(run)}`, probe, { withinMs: jobMs, everyMs: 500, signal });
}
