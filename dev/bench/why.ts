// The phase why: how long the plugin of kubectl takes to explain an object, started as a user starts it, while all Clusters are there.
import { execFile } from 'node:child_process';
import type { Found, Manifest } from '../demo/manifests.ts';
import { NotYet, waitUntil } from '../demo/waiting.ts';
import { type Done, latenciesOf } from './acts.ts';
import type { Stage } from './stage.ts';
import { clusterCollection, collectionOf, namespace } from './workload.ts';

const times = 20;
const reportedMs = 60_000;
const longestMs = 60_000;
const apiVersion = 'dataprocessing.dev/v1alpha1';

/** A run waits for a Cluster, which waits for a template that nobody has made. */
const waiting: readonly (readonly [collection: string, manifest: Manifest])[] = [
  [
    clusterCollection,
    {
      apiVersion,
      kind: 'Cluster',
      metadata: { name: 'unmade', namespace },
      spec: { clusterTemplateRef: { name: 'none' }, userKeypairID: 'bench' },
    },
  ],
  [
    collectionOf('jobexecutions'),
    {
      apiVersion,
      kind: 'JobExecution',
      metadata: { name: 'waiting', namespace },
      spec: { jobRef: { name: 'none' }, clusterRef: { name: 'unmade' } },
    },
  ],
];

/** Half of the explanations are of what is Ready. Leaves nothing. */
export async function explainAll(stage: Stage): Promise<Done> {
  for (const [path, body] of waiting) await stage.client.transport.request({ method: 'POST', path, body });
  for (const [collection, { metadata }] of waiting) await waitUntilReported(stage, `${collection}/${metadata.name}`);
  const [sent, seen] = [new Map<string, number>(), new Map<string, number>()];
  const begun = performance.now();
  for (let time = 0; time < times; time += 1) {
    const isReady = time % 2 === 0;
    sent.set(`${time}`, performance.now());
    const cause = await explain(stage, isReady ? `cluster/cluster-${time % stage.options.n}` : 'dpje/waiting');
    seen.set(`${time}`, performance.now());
    if (cause !== (isReady ? 'Available' : 'NotFound'))
      throw new Error(`cannot end the phase: the plugin explains with ${String(cause)}`);
  }
  const seconds = (performance.now() - begun) / 1000;
  for (const [collection, { metadata }] of waiting.toReversed())
    await stage.client.transport.request({ method: 'DELETE', path: `${collection}/${metadata.name}` });
  return { seconds, latencySeconds: latenciesOf({ begun, submitted: begun, at: sent }, seen) };
}

async function waitUntilReported({ client, ended }: Stage, path: string): Promise<void> {
  const probe = async () => {
    const { status } = (await client.transport.request({ method: 'GET', path })) as Found;
    const blockedOn = status?.['blockedOn'];
    return (Array.isArray(blockedOn) && blockedOn.length > 0) || new NotYet('nothing is reported');
  };
  await waitUntil('see what they wait for', probe, { withinMs: reportedMs, everyMs: 250, signal: ended });
}

/** Its cause. The exit code tells whether somebody has to do something. */
async function explain({ plugin }: Stage, object: string): Promise<unknown> {
  const args = [plugin.script, 'why', object, '-n', namespace, '-o', 'json', '--kubeconfig', plugin.kubeconfig];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: longestMs }, (error, stdout, stderr) => {
      // Without an explanation, the reason is on standard error.
      if (stdout === '') reject(new Error(`cannot explain ${object}: ${stderr.trim()}`, { cause: error }));
      else resolve((JSON.parse(stdout) as { readonly cause: { readonly cause: string } }).cause.cause);
    });
  });
}
