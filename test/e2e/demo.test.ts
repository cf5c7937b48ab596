// The demo as a user starts it: the whole story by itself; it leaves nothing behind.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command.ts';

/** A folder for temporary files, so that what is left in it can be seen. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-demo-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Far more than it takes: each wait within has a bound of its own, and says what it waited for. */
const longestMs = 10 * 60_000;

describe.skipIf(inject('kubeconfig') === '')('npm run demo', () => {
  test('-- --exit tells the whole story with simulated clusters where there is no Java, and leaves nothing behind', {
    timeout: longestMs,
  }, async () => {
    const TMPDIR = await temporaryFolder();
    const demo = runCommand(process.execPath, ['dev/demo.ts', '--exit', '--stage-ms', '50'], {
      TMPDIR,
      PATH: '/nowhere',
      JAVA_HOME: '',
    });
    const { code, output, errors } = await demo.ended;
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^The clusters of this demo are simulated\. To run real ones: Java 17 or newer is needed/);
    expect(output).toMatch(/cluster\.dataprocessing\.dev\/analytics +True +Available +Active +6\/6/);
    expect(output).toContain('The service confirms, read back over HTTP: analytics extra=1 master=1 worker=2;');
    expect(output).toContain('The service has no cluster and no template left.');
    expect(output).toMatch(/All steps succeeded in \d+ s\.\n$/);
    expect(await readdir(TMPDIR)).toEqual([]);
  });
});
