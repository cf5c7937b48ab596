// What the operator's process consists of, beside our own code.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { threads } from '../../../src/operator/client/http/lookup.ts';
import { runCommand } from '../../support/command.ts';

/** What `expression` is when the operator ends, which it does since nobody listens, yet not before it has read the file and asked. */
async function atTheEnd(expression: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'process-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  const clusters = [{ name: 'test', cluster: { server: 'http://localhost:1' } }];
  const contexts = [{ name: 'test', context: { cluster: 'test', user: 'test' } }];
  const users = [{ name: 'test', user: {} }];
  await writeFile(kubeconfig, JSON.stringify({ 'current-context': 'test', clusters, contexts, users }));
  const module = `import { readdirSync } from 'node:fs'; process.on('exit', () => console.log(${expression}));`;
  const looking = `--import=data:text/javascript,${encodeURIComponent(module)}`;
  const operator = runCommand(process.execPath, [looking, 'src/operator/main.ts', '--kubeconfig', kubeconfig]);
  const { output, errors } = await operator.ended;
  expect(errors).toContain('ECONNREFUSED');
  return output.trim();
}

const source = (file: string): string => pathToFileURL(join(import.meta.dirname, '../../../src', file)).href;

/** What libuv reads the number from when it starts them: changed later, it changes nothing. */
test.runIf(process.platform === 'linux')(
  'has as many threads as it wants, for names that get no answer hold some',
  async () => {
    expect(Number(await atTheEnd(`readdirSync('/proc/self/task').length`))).toBeGreaterThan(threads);
  },
);

test('in a pod it does not load the HTTP client that Node has built in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'account-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  for (const name of ['ca.crt', 'namespace', 'token']) await writeFile(join(folder, name), '');
  const script = `
    import '${source('operator/wiring/operator.ts')}';
    import { inClusterConfig } from '${source('kube/config/cluster-config.ts')}';
    import { createTransport } from '${source('kube/http/transport.ts')}';
    import { systemClock as clock } from '${source('lib/system.ts')}';
    import { readClusterUid } from '${source('operator/kube/read-object.ts')}';
    const environment = { KUBERNETES_SERVICE_HOST: 'localhost', KUBERNETES_SERVICE_PORT: '1' };
    const config = await inClusterConfig({ environment, clock, folder: ${JSON.stringify(folder)} });
    await readClusterUid(createTransport({ config, clock })).catch((error) => console.log(error.message));
    console.log(process.moduleLoadList.filter((one) => /deps.undici|_http_server$/.test(one)));`;
  const { output, errors } = await runCommand(process.execPath, ['--input-type=module', '--eval', script]).ended;
  expect([output.trim().split('\n'), errors]).toEqual([
    [expect.stringContaining('ECONNREFUSED'), `[ 'NativeModule _http_server' ]`],
    '',
  ]);
});
