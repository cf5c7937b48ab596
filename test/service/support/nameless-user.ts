// Programs that run as a user without a name, a home or variables, as in a pod with a user of its own.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, onTestFinished } from 'vitest';
import { messageOf } from '../../../src/lib/errors.ts';
import { runCommand } from '../../support/command.ts';

export const uid = 54_321;
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

/** For all tests of a file. */
export function skipIfHindered(): void {
  beforeEach(({ skip }) => {
    if (why !== undefined) skip(why);
  });
}

/** Only these variables are set. */
export const start = (script: string, args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}) =>
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
export function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nameless-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chownSync(folder, uid, uid);
  return folder;
}

/** A kubeconfig of an API server that is not there. */
export function kubeconfigIn(folder: string): string {
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

/** Flags of a service for clusters in pods. */
export const inPods = (folder: string) => {
  const runner = ['--runner-url', 'http://127.0.0.1:1', '--runner-port', '0', '--runner-image', 'localhost/service:1'];
  return ['--port', '0', '--provisioner', 'kubernetes', ...runner, '--kubeconfig', kubeconfigIn(folder)];
};
