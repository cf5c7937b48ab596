// What a node could leave on this computer.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { cgroupHierarchies, cgroupOf } from '../../../dev/plane/node/cgroups.ts';
import { readIfThere } from '../../plane/support.ts';

/** Folders outside of the plane in which programs of a node write where nobody stops them. */
const FOLDERS = ['/run', '/var/lib', '/var/log', '/etc', '/opt', '/usr/libexec', '/var/run', '/tmp'];
const NAMES = /cni|kube|containerd|netns|xtables|nri|coredns/;

/** Settings of the kernel that a kubelet, kube-proxy or a plugin for networks would change for the whole computer. */
const SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'net/ipv4/ip_forward',
  'net/ipv4/conf/all/route_localnet',
  'net/netfilter/nf_conntrack_max',
];

/** The state of the computer, which must be the same before and after. */
export function stateOfComputer(): object {
  const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
  return {
    files: FOLDERS.flatMap((folder) =>
      namesIn(folder)
        .map((name) => join(folder, name))
        .filter((path) => NAMES.test(path)),
    ),
    settings: SETTINGS.map((name) => `${name}: ${readIfThere(`/proc/sys/${name}`)}`),
    rules: rulesOfNodes(),
  };
}

/** Of kube-proxy, of the kubelet and of the plugins for networks. */
function rulesOfNodes(): readonly string[] {
  const rules = execFileSync('iptables-save', { encoding: 'utf8' }).split('\n');
  return rules.filter((rule) => /KUBE|CNI|10\.0\.1\./.test(rule));
}

export interface OwnTraces {
  readonly directory: string;
  /** The address of the plane's API server. */
  readonly address: string;
  /** The links to namespaces of the node, such as `net:[4026532008]`. */
  readonly namespaces: readonly string[];
}

/** What is left of one plane. */
export async function tracesOf({ directory, address, namespaces }: OwnTraces): Promise<object> {
  // A link has two addresses, and this computer the lower one.
  const host = address.replace(/\d+$/, (last) => String(Number(last) - 1));
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((one) => one.address));
  const groups = (await cgroupHierarchies()).map((hierarchy) => join(hierarchy, cgroupOf(directory)));
  return {
    processes: processesOf(directory, namespaces),
    interfaces: addresses.filter((each) => each === host),
    mounts: readIfThere('/proc/self/mountinfo')
      .split('\n')
      .filter((line) => line.includes(directory)),
    cgroups: groups.filter(existsSync),
    directory: existsSync(directory) ? [directory] : [],
  };
}

export const noTraces = { processes: [], interfaces: [], mounts: [], cgroups: [], directory: [] };

/** Those in the namespaces, those that have them for what they run, such as `unshare`, and those that name the directory. */
function processesOf(directory: string, namespaces: readonly string[]): readonly string[] {
  const kinds = ['net', 'mnt', 'pid', 'pid_for_children'];
  const isIn = (pid: string): boolean => kinds.some((kind) => namespaces.includes(namespaceOf(pid, kind)));
  const names = (pid: string): boolean => readIfThere(`/proc/${pid}/cmdline`).includes(directory);
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && (isIn(name) || names(name)));
}

export function namespaceOf(pid: number | string, kind: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return '';
  }
}
