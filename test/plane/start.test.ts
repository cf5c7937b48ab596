// Starts that fail say why; programs that only pretend to be etcd and the API server are enough to see it.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { prepareDirectory } from '../../dev/plane/directory.ts';
import { startPlane } from '../../dev/plane/plane.ts';
import { temporaryFolder } from './support.ts';

async function pretend(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  vi.stubEnv('KUBEBUILDER_ASSETS', folder);
  return join(await temporaryFolder(), 'plane');
}

describe('a start', () => {
  it('fails with the end of the log of a process that ends, and leaves nothing behind', async () => {
    const directory = await pretend({
      etcd: 'exec sleep 60',
      'kube-apiserver': 'echo unknown flag: --colour >&2; exit 3',
    });
    const start = startPlane({ directory });
    await expect(start).rejects.toThrow(/kube-apiserver ended with code 3[^]*unknown flag: --colour/);
    expect(existsSync(directory)).toBe(false);
  });

  it('tries other ports when one is taken', async () => {
    const log = join(await temporaryFolder(), 'starts');
    const clash = `echo "$@" >> ${log}; echo listen tcp: bind: address already in use; exit 1`;
    const directory = await pretend({ etcd: clash, 'kube-apiserver': 'exec sleep 60' });
    await expect(startPlane({ directory })).rejects.toThrow('address already in use');
    const starts = (await readFile(log, 'utf8')).trim().split('\n');
    expect(new Set(starts).size).toBe(5);
  });

  it('fails when a file is no program', async () => {
    const directory = await pretend({ etcd: 'exec sleep 60', 'kube-apiserver': '' });
    await writeFile(join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kube-apiserver'), '#!/no/such/interpreter\n');
    await expect(startPlane({ directory })).rejects.toThrow(/cannot start kube-apiserver: spawn .* ENOENT/);
  });
});

describe('the directory of a plane', () => {
  it('is never one with files of somebody else', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'thesis.tex'), '');
    await expect(prepareDirectory(folder)).rejects.toThrow('it is not empty');
    expect(await readdir(folder)).toEqual(['thesis.tex']);
  });

  it('is never that of a running plane', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'supervisor.pid'), String(process.pid));
    await expect(prepareDirectory(folder)).rejects.toThrow(`another one runs in it (process ${process.pid})`);
  });

  it('may be one that a plane left behind when the machine went down', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'etcd'));
    // Pids end far below this one.
    await writeFile(join(folder, 'supervisor.pid'), '999999999');
    await prepareDirectory(folder);
    expect((await readdir(folder)).sort()).toEqual(['keys', 'logs']);
  });
});
