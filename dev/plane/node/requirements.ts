// Checks what a node requires of this computer and what this repository cannot build.
import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cgroupHierarchies } from './cgroups.ts';

const run = promisify(execFile);

/** Programs of the distribution, with the Debian package that has each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  mount: 'mount',
};

/** Where distributions and the official archives put the plugins of the container network interface. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/usr/libexec/cni', '/opt/cni/bin'];
const PLUGINS = ['ptp', 'host-local', 'portmap', 'loopback'];

export interface Computer {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly path: string;
  readonly pluginFolders: readonly string[];
}

export const thisComputer = (): Computer => ({
  platform: process.platform,
  uid: process.getuid?.(),
  // A user's PATH may have no sbin.
  path: [process.env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(delimiter),
  pluginFolders: PLUGIN_FOLDERS,
});

/** Throws, with the remedy, if this computer cannot run a node. */
export async function checkRequirements(computer = thisComputer()): Promise<void> {
  if (computer.platform !== 'linux')
    throw new Error('cannot run a node: this is not Linux; set TEST_KUBECONFIG to the kubeconfig of a cluster instead');
  if (computer.uid !== 0)
    throw new Error(
      'cannot run a node: it requires root; use sudo, or set TEST_KUBECONFIG to the kubeconfig of a cluster',
    );
  const packages = await missingPackages(computer);
  if (packages.length > 0)
    throw new Error(
      `cannot run a node: this computer lacks ${packages.join(', ')}; ` +
        `on Debian and Ubuntu, run apt-get install --no-install-recommends ${packages.join(' ')}`,
    );
  await checkRights();
}

/** Root in a container may do less. */
async function checkRights(): Promise<void> {
  try {
    await run('unshare', ['--net', '--mount', '--pid', '--fork', 'true']);
    for (const hierarchy of await cgroupHierarchies()) await access(hierarchy, constants.W_OK);
  } catch (error) {
    throw new Error(
      'cannot run a node: this container may not create namespaces and cgroups; run it with --privileged, ' +
        'or set TEST_KUBECONFIG to the kubeconfig of a cluster',
      { cause: error },
    );
  }
}

/** The Debian packages of what is missing. */
async function missingPackages({ path, pluginFolders }: Computer): Promise<readonly string[]> {
  const folders = path.split(delimiter).filter(Boolean);
  const missing = new Set<string>();
  for (const [program, owner] of Object.entries(PROGRAMS)) {
    if (!(await hasProgram(folders, program))) missing.add(owner);
  }
  if (pluginFolder(pluginFolders) === undefined) missing.add('containernetworking-plugins');
  return [...missing];
}

/** The folder with the plugins of the container network interface. */
export function pluginFolder(folders: readonly string[] = PLUGIN_FOLDERS): string | undefined {
  return folders.find((folder) => PLUGINS.every((plugin) => existsSync(join(folder, plugin))));
}

async function hasProgram(folders: readonly string[], name: string): Promise<boolean> {
  for (const folder of folders) {
    try {
      await access(join(folder, name), constants.X_OK);
      return true;
    } catch {
      // The next folder may have it.
    }
  }
  return false;
}
