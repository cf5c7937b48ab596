// Builds the binaries from source with Go, from the two pinned modules next to this file.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Progress, reportWhile } from './progress.ts';
import { type BinaryName, KUBERNETES_VERSION } from './release.ts';

/** A build that takes longer than this hangs. */
const LIMIT_MS = 30 * 60_000;
const KEPT_LINES = 12;

interface Recipe {
  readonly module: 'etcd' | 'kubernetes';
  readonly package: string;
  readonly linkerFlags: string;
  /** As measured on two busy cores with nothing cached. */
  readonly duration: string;
}

const [major, minor] = KUBERNETES_VERSION.split('.');
// Without these the API server reports version 0.0.0 and clients take it for an ancient one.
const versionFlags = Object.entries({ gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor })
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(' ');

const RECIPES: Readonly<Record<BinaryName, Recipe>> = {
  etcd: { module: 'etcd', package: '.', linkerFlags: '-s -w', duration: 'a minute' },
  'kube-apiserver': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    linkerFlags: `-s -w ${versionFlags}`,
    duration: '5 minutes',
  },
  'kube-controller-manager': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
    linkerFlags: `-s -w ${versionFlags}`,
    duration: '2 minutes',
  },
};

/** Builds `name` into `folder`; throws with the last lines of Go's output. */
export async function buildBinary(name: BinaryName, folder: string, progress: Progress): Promise<void> {
  const recipe = RECIPES[name];
  const label = `${name}: building from source with Go, about ${recipe.duration}`;
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', recipe.linkerFlags];
  await reportWhile(
    progress,
    () => label,
    () => runGo(recipe.module, ['build', ...flags, '-o', join(folder, name), recipe.package]),
  );
}

/** Throws when there is no Go, or one that is too old and may not fetch a newer one: `go version` reads the module's demand. */
export async function checkGo(): Promise<void> {
  await runGo('kubernetes', ['version']);
}

async function runGo(module: string, args: readonly string[]): Promise<void> {
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
