// The command line of the plane: what it prints and how it exits.
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from '../../dev/plane/binaries/binaries.ts';
import { pickPorts } from '../../dev/plane/ports.ts';
import { limitMs } from '../support/patience.ts';
import { cleanEnvironment, temporaryFolder } from './support.ts';

async function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; stdout: string; stderr: string }>();
  const script = join(import.meta.dirname, '../../dev/plane/main.ts');
  const options = { env: cleanEnvironment(environment), timeout: limitMs };
  const child = execFile(process.execPath, [script, ...args], options, (_error, stdout, stderr) =>
    resolve({ code: child.exitCode, stdout, stderr }),
  );
  return promise;
}

it('prints its options', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--controller-manager') });
});

it('refuses an option that it does not know', async () => {
  expect(await run(['--colour'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no option --colour'),
  });
});

it('prints the paths of the binaries', async () => {
  const environment = { XDG_CACHE_HOME: await temporaryFolder(), KUBEBUILDER_ASSETS: '' };
  const folder = cacheFolder(environment);
  await mkdir(folder, { recursive: true });
  for (const name of ['etcd', 'kube-apiserver']) {
    await writeFile(join(folder, name), '');
    await chmod(join(folder, name), 0o755);
  }
  expect(await run(['--fetch'], environment)).toMatchObject({
    code: 0,
    stdout: `${folder}/etcd\n${folder}/kube-apiserver\n`,
  });
});

it('ends at once when nothing can be had, and honours a proxy in trying', async () => {
  // Nothing listens on the port of the proxy, and without a path there is no Go.
  const [port] = await pickPorts(1);
  const address = `http://127.0.0.1:${port}`;
  const proxy = { HTTPS_PROXY: address, https_proxy: address, NO_PROXY: '', no_proxy: '' };
  const folder = await temporaryFolder();
  const result = await run(['--fetch'], { ...proxy, PATH: folder, XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: '' });
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot find etcd and kube-apiserver') });
  expect(result.stderr).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
});
