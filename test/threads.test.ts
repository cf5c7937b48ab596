// The threads of the operator's process, of which names that get no answer may hold some.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { threads } from '../src/adapter/lookup.ts';
import { runCommand } from './e2e/support/command.ts';

/** What libuv reads the number from when it starts them: changed later, it changes nothing. */
const count = `import { readdirSync } from 'node:fs';
  process.on('exit', () => console.log(readdirSync('/proc/self/task').length));`;

test.runIf(process.platform === 'linux')('are as many as it wants', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'threads-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  // Nobody listens there: the operator ends, yet not before it has read the file and asked.
  const clusters = [{ name: 'test', cluster: { server: 'http://localhost:1' } }];
  const contexts = [{ name: 'test', context: { cluster: 'test', user: 'test' } }];
  const users = [{ name: 'test', user: {} }];
  await writeFile(kubeconfig, JSON.stringify({ 'current-context': 'test', clusters, contexts, users }));
  const counting = `--import=data:text/javascript,${encodeURIComponent(count)}`;
  const operator = runCommand(process.execPath, [counting, 'src/main.ts', '--kubeconfig', kubeconfig]);
  const { output, errors } = await operator.ended;
  expect(errors).toContain('ECONNREFUSED');
  expect(Number(output)).toBeGreaterThan(threads);
});
