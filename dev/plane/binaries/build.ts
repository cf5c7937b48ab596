// Builds the binaries from source with Go, from the pinned modules next to this file.
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { megabytes, minutes } from '../../../src/lib/fetch/progress.ts';
import { type Progress, reportWhile } from './progress.ts';
import { type BinaryName, HELM_VERSION, KUBERNETES_MODULES, KUBERNETES_VERSION } from './release.ts';

/** A build that takes longer than this hangs. */
const LIMIT_MS = 30 * 60_000;
const KEPT_LINES = 12;

interface Recipe {
  /** Folder below `modules`. */
  readonly module:
    | 'coredns'
    | 'etcd'
    | 'helm'
    | 'krew'
    | 'kueue'
    | 'pause'
    | 'prometheus'
    | (typeof KUBERNETES_MODULES)[typeof KUBERNETES_VERSION];
  readonly package: string;
  readonly linkerFlags: string;
  readonly tags?: string;
  /** As measured on two busy cores with nothing cached but what the programs before it have built. */
  readonly duration: string;
}

const [major, minor] = KUBERNETES_VERSION.split('.');
// Without these the API server reports version 0.0.0 and clients take it for an ancient one.
const versionFlags = Object.entries({ gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor })
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(' ');

const ofKubernetes = (name: BinaryName, duration: string): Recipe => ({
  module: KUBERNETES_MODULES[KUBERNETES_VERSION],
  package: `k8s.io/kubernetes/cmd/${name}`,
  linkerFlags: `-s -w ${versionFlags}`,
  duration,
});

const RECIPES: Readonly<Record<BinaryName, Recipe>> = {
  etcd: { module: 'etcd', package: '.', linkerFlags: '-s -w', duration: 'a minute' },
  'kube-apiserver': ofKubernetes('kube-apiserver', '5 minutes'),
  'kube-controller-manager': ofKubernetes('kube-controller-manager', '2 minutes'),
  'kube-scheduler': ofKubernetes('kube-scheduler', 'a minute'),
  kubelet: ofKubernetes('kubelet', '2 minutes'),
  'kube-proxy': ofKubernetes('kube-proxy', 'a minute'),
  coredns: { module: 'coredns', package: '.', linkerFlags: '-s -w', duration: '2 minutes' },
  pause: { module: 'pause', package: '.', linkerFlags: '-s -w', duration: '10 seconds' },
  helm: {
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    linkerFlags: `-s -w -X helm.sh/helm/v4/internal/version.version=v${HELM_VERSION}`,
    duration: '2 minutes',
  },
  kueue: {
    module: 'kueue',
    package: 'sigs.k8s.io/kueue/cmd/kueue',
    linkerFlags: '-s -w',
    duration: '8 minutes',
  },
  'validate-krew-manifest': {
    module: 'krew',
    package: 'sigs.k8s.io/krew/cmd/validate-krew-manifest',
    linkerFlags: '-s -w',
    duration: 'a minute',
  },
  prometheus: {
    module: 'prometheus',
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    linkerFlags: '-s -w',
    // Without the clients of all clouds.
    tags: 'remove_all_sd',
    duration: '4 minutes',
  },
};

/** Builds `name` into `folder` and reports time and size; throws with the last lines of Go's output. */
export async function buildBinary(name: BinaryName, folder: string, progress: Progress): Promise<void> {
  const recipe = RECIPES[name];
  const label = `${name}: building from source with Go, about ${recipe.duration}`;
  const flags = [
    '-mod=readonly',
    '-buildvcs=false',
    '-trimpath',
    '-ldflags',
    recipe.linkerFlags,
    '-tags',
    recipe.tags ?? '',
  ];
  const file = join(folder, name);
  const begun = performance.now();
  await reportWhile(
    progress,
    () => label,
    () => runGo(recipe.module, ['build', ...flags, '-o', file, recipe.package]),
  );
  const { size } = await stat(file);
  progress(`${name}: built, ${megabytes(size)} MB (${minutes(performance.now() - begun)})`);
}

/** Throws when there is no Go, or one that is too old and may not fetch a newer one: `go version` reads the module's demand. */
export async function checkGo(): Promise<void> {
  await runGo(KUBERNETES_MODULES[KUBERNETES_VERSION], ['version']);
}

async function runGo(module: Recipe['module'], args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const go = spawn('go', args, {
    cwd: join(import.meta.dirname, 'modules', module),
    // Static binaries need no C compiler; a workspace of the user's must not leak into the build.
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GO111MODULE: 'on' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Not `timeout`: where there is no Go, its timer would keep the process alive until it runs off.
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  let output = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).split('\n').slice(-KEPT_LINES).join('\n');
  });
  go.once('error', (error) => reject(new Error('cannot run go', { cause: error })));
  go.once('close', (code, signal) => {
    if (code === 0) resolve();
    else reject(new Error(`cannot run go ${args[0]}: it ended with ${signal ?? code}: ${output.trim()}`));
  });
  return promise;
}
