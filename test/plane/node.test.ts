// What a node asks of the computer, and what it takes of it, as far as that needs no rights.
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cgroupHierarchies, cgroupOf } from '../../dev/plane/node/cgroups.ts';
import { chooseLink } from '../../dev/plane/node/network.ts';
import { checkRequirements } from '../../dev/plane/node/requirements.ts';
import { temporaryFolder } from './support.ts';

describe('the requirements of a node', () => {
  const computer = { platform: 'linux', uid: 0, path: '', pluginFolders: [] } as const;

  it.each([
    [{ platform: 'darwin' as const }, 'this is not Linux; set TEST_KUBECONFIG'],
    [{ uid: 1000 }, 'it requires root; use sudo, or set TEST_KUBECONFIG'],
  ])('%j is refused with the remedy', async (change, message) => {
    await expect(checkRequirements({ ...computer, ...change })).rejects.toThrow(message);
  });

  it('names the packages that are missing, and the command that installs them', async () => {
    const folder = await temporaryFolder();
    for (const name of ['ip', 'mount', 'unshare', 'nsenter', 'setpriv', 'ctr', 'runc', 'iptables']) {
      await writeFile(join(folder, name), '');
      await chmod(join(folder, name), 0o755);
    }
    await writeFile(join(folder, 'containerd'), 'it cannot be executed');
    const message =
      /lacks containerd, containernetworking-plugins; .* apt-get install .* containerd containernetworking-/;
    await expect(checkRequirements({ ...computer, path: folder, pluginFolders: [folder] })).rejects.toThrow(message);
  });
});

describe('the link of a node', () => {
  it('has two addresses of a network of their own, in the range that is reserved for tests', () => {
    expect(chooseLink([], () => 0)).toEqual({ name: 'plane-0', host: '198.18.0.1', node: '198.18.0.2' });
    const last = { name: 'plane-32767', host: '198.19.255.253', node: '198.19.255.254' };
    expect(chooseLink([], () => 32_767)).toEqual(last);
  });

  it('is never one that this computer has already', () => {
    const numbers = [5, 5, 6];
    expect(chooseLink(['198.18.0.21'], () => numbers.shift() ?? 0).host).toBe('198.18.0.25');
  });
});

describe('the cgroups of a node', () => {
  it('are in each hierarchy of version 1 once, or in the only one of version 2', async () => {
    const root = await temporaryFolder();
    for (const name of ['memory', 'cpu,cpuacct']) await mkdir(join(root, name));
    await symlink('cpu,cpuacct', join(root, 'cpu'));
    expect((await cgroupHierarchies(root)).toSorted()).toEqual([join(root, 'cpu,cpuacct'), join(root, 'memory')]);
    await writeFile(join(root, 'cgroup.controllers'), '');
    expect(await cgroupHierarchies(root)).toEqual([root]);
  });

  it('have a name of their own for each directory', () => {
    expect(cgroupOf('/tmp/a')).not.toBe(cgroupOf('/tmp/b'));
    expect(cgroupOf('/tmp/a')).toBe(cgroupOf('/tmp/a'));
  });
});
