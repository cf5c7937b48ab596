// All programs run as a user without a name, a home or variables, as in a pod with a user of its own. Java alone needs a name.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { messageOf } from '../../src/lib/errors.ts';
import { runCommand } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';

const uid = 54_321;
// The repository can be in a folder that only root can read.
const reading = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
const asUser = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...reading];

/** Why nothing can run as another user here. Undefined if it can. */
function hindrance(): string | undefined {
  try {
    const name = execFileSync('setpriv', [...asUser, process.execPath, '-p', 'os.userInfo()'], { stdio: 'pipe' });
    return `user ${uid} has a name here: ${String(name)}`;
  } catch (cause) {
    const message = messageOf(cause);
    return message.includes('uv_os_get_passwd') ? undefined : `it needs root and setpriv: ${message.split('\n')[0]}`;
  }
}

const why = hindrance();
beforeEach(({ skip }) => {
  if (why !== undefined) skip(why);
});

/** Only these variables are set. */
const start = (script: string, args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}) =>
  runCommand('/usr/bin/env', [
    '-i',
    'PATH=/usr/bin:/bin:/usr/sbin:/sbin',
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    'setpriv',
    ...asUser,
    process.execPath,
    script,
    ...args,
  ]);

/** A folder of this user. */
function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nameless-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chownSync(folder, uid, uid);
  return folder;
}

/** A kubeconfig of an API server that is not there. */
function kubeconfigIn(folder: string): string {
  const file = join(folder, 'kubeconfig');
  const name = 'nowhere';
  const config = {
    'current-context': name,
    clusters: [{ name, cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name, user: { token: 'token' } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'data' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  chmodSync(file, 0o644);
  return file;
}

test('the input of a job is looked up in HDFS, and its application is killed', async () => {
  const { code, output } = await start('test/service/support/hdfs-and-yarn.ts').ended;
  expect(code).toBe(0);
  const head = 'head.data.svc';
  expect(JSON.parse(output)).toEqual({
    url: `hdfs://${head}:8020/user/hadoop/words`,
    asked: [
      `http://${head}:9870/webhdfs/v1/user/hadoop/words?op=GETFILESTATUS&user.name=hadoop`,
      `http://${head}:8088/ws/v1/cluster/apps/application_1/state?user.name=hadoop`,
    ],
  });
});

const inPods = (folder: string) => {
  const runner = ['--runner-url', 'http://127.0.0.1:1', '--runner-port', '0', '--runner-image', 'localhost/service:1'];
  return ['--port', '0', '--provisioner', 'kubernetes', ...runner, '--kubeconfig', kubeconfigIn(folder)];
};

test('the service for clusters in pods answers, and keeps its data', async () => {
  const folder = folderOf();
  const service = start('src/service/program/main.ts', [...inPods(folder), '--data', join(folder, 'service.db')]);
  await vi.waitFor(() => expect(service.output()).toMatch(/^listening on /m), limitMs);
  const [, url = ''] = /^listening on (\S+)$/m.exec(service.output()) ?? [];
  const template = {
    name: 'workers',
    plugin_name: 'spark',
    bigdata_version: '4.1.2',
    flavor_id: '2',
    node_processes: ['slave'],
  };
  const created = await fetch(`${url}/v1.0/tenant/node-group-templates`, {
    method: 'POST',
    body: JSON.stringify(template),
    headers: { 'content-type': 'application/json' },
  });
  expect([await (await fetch(`${url}/healthz`)).text(), created.status]).toEqual(['ok\n', 202]);
  service.signal('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0 });
});

test.each([
  ['without a folder for its data', (folder: string) => inPods(folder), 'set HOME or XDG_STATE_HOME'],
  ['for clusters on this computer', () => ['--provisioner', 'processes'], `user ${uid} of the service has no name`],
] as const)('the service %s does not start, and its message has the remedy', async (_what, args, message) => {
  const { code, errors } = await start('src/service/program/main.ts', args(folderOf())).ended;
  expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
});

test.each([
  ['the operator', 'src/operator/main.ts', ['--health-address', '127.0.0.1:0']],
  ['the plugin of kubectl', 'src/cli/main.ts', ['logs', 'words']],
] as const)('%s gets as far as the API server', async (_what, script, args) => {
  const { code, output, errors } = await start(script, [...args, '--kubeconfig', kubeconfigIn(folderOf())]).ended;
  expect([code, output + errors]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
});

test('what runs in the pod of a job before its program gets the files', async () => {
  const asked: string[] = [];
  const answers = ['{"files":[{"path":"bin/main.sh","bytes":7,"isTemplate":false}]}', 'echo hi', ''];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.end(answers[asked.length - 1]);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => void server.once('listening', resolve));
  const folder = folderOf();
  writeFileSync(join(folder, 'token'), 'token', { mode: 0o644 });
  const { code, errors } = await start('src/service/program/runner.ts', [], {
    RUN_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
    RUN_TOKEN_FILE: join(folder, 'token'),
    RUN_FOLDER: join(folder, 'work'),
    POD_IP: '10.2.0.7',
  }).ended;
  expect([code, errors]).toEqual([0, '']);
  expect(asked).toEqual(['GET /run/files', 'GET /run/files/0', 'POST /run/start']);
  expect(readFileSync(join(folder, 'work', 'bin', 'main.sh'), 'utf8')).toBe('echo hi');
});
