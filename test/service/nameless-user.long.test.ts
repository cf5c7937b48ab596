// All programs run as a user without a name, a home or variables, as in a pod with a user of its own. Java alone needs a name.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderOf, inPods, kubeconfigIn, skipIfHindered, start, uid } from './support/nameless-user.ts';

skipIfHindered();

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
