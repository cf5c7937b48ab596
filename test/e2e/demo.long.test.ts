// The demo as a user starts it, and ends it by Ctrl-C; it leaves nothing behind.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { limitMs } from '../support/patience.ts';
import { readPage } from './support/documents.ts';
import { expectSample, samplesIn } from './support/samples.ts';

/** A folder for temporary files, so that what is left in it can be seen. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-demo-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Nobody else gets the usual port of the service until the test ends; somebody else may have it already. */
async function takeUsualPort(): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.once('error', () => resolve()).listen(8386, '127.0.0.1', resolve));
}

describe.skipIf(inject('kubeconfig') === '')('npm run demo', () => {
  test('leaves all running until Ctrl-C, and then nothing, also where another process has the usual port', async () => {
    await takeUsualPort();
    const TMPDIR = await temporaryFolder();
    const demo = runCommand(process.execPath, ['dev/demo.ts', '--simulated', '--stage-ms', '50'], { TMPDIR });
    await expect.poll(() => demo.output(), { timeout: limitMs }).toContain('kubectl delete -f examples/');
    expect(demo.output()).toContain(`export KUBECONFIG=${TMPDIR}`);
    const [sample] = samplesIn(readPage('docs/getting-started/README.md'));
    expect(sample?.commands).toBe('npm run demo -- --simulated\n');
    expectSample(sample?.output ?? '', demo.output());
    const [, curl] = /-H 'X-Auth-Token: change-me' (\S+)/.exec(demo.output()) ?? [];
    const clusters = await fetch(curl ?? '', { headers: { 'x-auth-token': 'change-me' } });
    expect(clusters.status).toBe(200);
    const [, log = ''] = /^ {2}Its log: (\S+)$/m.exec(demo.output()) ?? [];
    expect(await readFile(log, 'utf8')).toContain('running; health on port');
    demo.signal('SIGINT');
    expect((await demo.ended).code).toBe(0);
    expect(await readdir(TMPDIR)).toEqual([]);
    await expect(fetch(curl ?? '')).rejects.toThrow('fetch failed');
  });
});
