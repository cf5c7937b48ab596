// A real Kubernetes API server with etcd on loopback, until this process ends.
import { type Binaries, findBinaries, findNodeBinaries, type NodeBinaries } from './binaries/binaries.ts';
import type { Progress } from './binaries/progress.ts';
import { fewControllers } from './commands.ts';
import { filesOf, prepareDirectory } from './directory.ts';
import { createKeys, writeKubeconfig } from './keys/kubeconfig.ts';
import { importOwnImages } from './node/images.ts';
import { allControllers, createNodeKeys, openNode, startNode } from './node/node.ts';
import { checkRequirements } from './node/requirements.ts';
import { loopback, restartApiServer, startControllerManager, startServers } from './servers.ts';
import { type Supervisor, startSupervisor } from './supervisor.ts';

export interface Plane {
  /** `https://127.0.0.1:<port>`, the same after a restart of the API server. */
  readonly url: string;
  /** Everything of this plane lives here; stop() removes it. */
  readonly directory: string;
  /** Path of a kubeconfig of the group system:masters, to which no RBAC applies. */
  readonly kubeconfig: string;
  /** What runs the pods, if the plane has a node; `host` is the address at which they reach this computer. */
  readonly node?: { readonly name: string; readonly host: string };
  readonly pids: { readonly etcd: number; readonly apiServer: number; readonly controllerManager?: number };
  /** Writes a kubeconfig for a user with a client certificate, to whom RBAC applies, and returns its path. */
  userKubeconfig(name: string, groups?: readonly string[]): Promise<string>;
  /** Kills the API server (SIGKILL) and starts it again on the same port and data; restarts a controller manager, too. */
  restartApiServer(): Promise<void>;
  /** Kills all processes and removes the directory. */
  stop(): Promise<void>;
}

export interface PlaneOptions {
  /** Adds garbage collection, the deletion of namespaces and HorizontalPodAutoscalers; `pids` shows whether it is available. */
  readonly controllerManager?: boolean;
  /** Adds a node that runs pods, with all that it takes. Implies all controllers. */
  readonly node?: boolean;
  readonly onProgress?: Progress;
  /** New or empty. */
  readonly directory?: string;
}

/**
 * Starts a plane: 3 to 5 s once the binaries are on this machine, minutes the first time.
 *
 * It ends with stop() or with this process, however that ends. Throws when no binaries are to be had or when a process
 * of the plane ends early, then with the last lines of its log.
 */
export async function startPlane(options: PlaneOptions = {}): Promise<Plane> {
  const progress = options.onProgress ?? (() => undefined);
  const found = await findPrograms(options, progress);
  const directory = await prepareDirectory(options.directory);
  let complain: Progress = () => undefined;
  const supervisor = await startSupervisor(directory, (name, how) => complain(`${name} ended by itself: ${how}`));
  try {
    const plane = await assemble(directory, supervisor, found);
    // Until here an early end is the error of the start.
    complain = progress;
    return plane;
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

interface Programs {
  readonly binaries: Binaries;
  /** The same, if all that a node needs are among them. */
  readonly ofNode?: NodeBinaries;
}

async function findPrograms(options: PlaneOptions, onProgress: Progress): Promise<Programs> {
  if (options.node !== true) {
    return { binaries: await findBinaries({ controllerManager: options.controllerManager ?? false, onProgress }) };
  }
  // Before minutes of building.
  await checkRequirements();
  const binaries = await findNodeBinaries({ onProgress });
  return { binaries, ofNode: binaries };
}

async function assemble(directory: string, supervisor: Supervisor, { binaries, ofNode }: Programs): Promise<Plane> {
  const node = ofNode === undefined ? undefined : await openNode(directory, supervisor, ofNode);
  const stage = { directory, supervisor, site: node?.site ?? loopback };
  await createKeys(directory, stage.site.address);
  if (node !== undefined) await createNodeKeys(directory, node.site);
  const kubeconfig = filesOf(directory).administrator;
  const [servers] = await Promise.all([
    startServers(stage, binaries),
    ofNode === undefined ? undefined : importOwnImages(directory, ofNode),
  ]);
  await writeKubeconfig(directory, { name: 'admin', groups: ['system:masters'] }, kubeconfig);
  const controllerManager = binaries['kube-controller-manager'];
  const controllers = node === undefined ? fewControllers : allControllers(directory);
  const withManager = async (): Promise<void> => {
    if (controllerManager !== undefined) await startControllerManager(stage, controllerManager, controllers);
  };
  await Promise.all([withManager(), ofNode === undefined ? undefined : startNode(stage, ofNode, kubeconfig)]);
  return {
    url: servers.url,
    directory,
    kubeconfig,
    ...(node === undefined ? {} : { node: { name: node.name, host: node.host } }),
    get pids() {
      return pidsOf(supervisor);
    },
    userKubeconfig: async (name, groups = []) => writeKubeconfig(directory, { name, groups }),
    async restartApiServer() {
      // The controller manager gives up when it loses the API server early in its own start.
      await supervisor.kill('kube-controller-manager');
      await restartApiServer(servers, supervisor);
      await withManager();
    },
    stop: async () => supervisor.close(),
  };
}

function pidsOf({ running }: Supervisor): Plane['pids'] {
  const controllerManager = running.get('kube-controller-manager');
  return {
    etcd: running.get('etcd') ?? 0,
    apiServer: running.get('kube-apiserver') ?? 0,
    ...(controllerManager === undefined ? {} : { controllerManager }),
  };
}
