// Runs a plane until Ctrl-C: `node dev/plane/main.ts`.
import { once } from 'node:events';
import { reasonOf } from '../../src/lib/errors.ts';
import { flagsHelp, helpFlag } from '../../src/lib/flags.ts';
import { path, readOptionsOf } from '../options.ts';
import { findBinaries, findNodeBinaries } from './binaries/binaries.ts';
import { startPlane } from './plane.ts';

const table = {
  'controller-manager': {
    help: 'also run garbage collection, the deletion of namespaces and HorizontalPodAutoscalers',
  },
  directory: {
    schema: path,
    value: '<path>',
    help: 'keep keys, data and logs in this new or empty folder while it runs',
  },
  node: {
    help: 'also run a node: scheduler, all controllers, containerd, kubelet, kube-proxy, CoreDNS, volumes (Linux, root)',
  },
  fetch: { help: 'only get the binaries' },
  ...helpFlag,
} as const;

const HELP = `Usage: node dev/plane/main.ts [options]

Runs a real etcd and kube-apiserver on loopback until Ctrl-C, then removes all of it.
The first run gets the binaries: from KUBEBUILDER_ASSETS, from the official archive, or by building them with Go.

Options:
${flagsHelp(table)}`;

async function main(): Promise<void> {
  const values = readOptionsOf(table, process.argv.slice(2));
  const { directory, fetch: fetchOnly, help, node, 'controller-manager': controllerManager } = values;
  if (help) {
    process.stdout.write(HELP);
  } else if (fetchOnly) {
    const search = { onProgress: print };
    const binaries = await (node ? findNodeBinaries(search) : findBinaries({ controllerManager, ...search }));
    for (const path of Object.values(binaries)) print(path);
  } else {
    await run({ controllerManager, node, onProgress: print, ...(directory === undefined ? {} : { directory }) });
  }
}

async function run(options: Parameters<typeof startPlane>[0]): Promise<void> {
  print(`starting etcd and kube-apiserver${options?.node === true ? ', and a node' : ''}`);
  const plane = await startPlane(options);
  // Before the first output, because a reader may send a signal as soon as it sees it.
  const ended = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map(async (signal) => once(process, signal)));
  print(`the API server answers at ${plane.url}; Ctrl-C ends it`);
  if (plane.node !== undefined) print(`pods reach this computer at ${plane.node.host}`);
  print(`logs are in ${plane.directory}/logs`);
  print(`export KUBECONFIG=${plane.kubeconfig}`);
  // A handler does not keep the process alive, a timer does.
  const alive = setInterval(() => undefined, 60_000);
  await ended;
  clearInterval(alive);
  print('stopping');
  await plane.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
