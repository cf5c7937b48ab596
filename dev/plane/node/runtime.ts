// containerd, which runs the containers of a node.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { program, type Stage } from '../servers.ts';
import { nodeFilesOf } from './files.ts';
import { pluginFolder } from './requirements.ts';
import { CONTAINERD_SOCKET, containerdSettings, networkSettings } from './settings.ts';

const READY_LIMIT_MS = 60_000;
const PAUSE_MS = 20;

export async function startRuntime(stage: Stage): Promise<void> {
  const { directory, supervisor } = stage;
  const files = nodeFilesOf(directory);
  const plugins = pluginFolder();
  if (plugins === undefined) throw new Error('cannot start containerd: the plugins for the network of pods are gone');
  await writeFile(files.containerdSettings, containerdSettings(directory, plugins));
  await writeFile(join(files.networkSettings, '10-pods.conflist'), JSON.stringify(networkSettings));
  await supervisor.start(program(stage, 'containerd', ['--config', files.containerdSettings]));
  await waitForSocket(directory, () => supervisor.ended.get('containerd'));
}

/** The socket is in a folder of the node, which the files of its first process lead to. */
async function waitForSocket(directory: string, ended: () => string | undefined): Promise<void> {
  const init = await readFile(nodeFilesOf(directory).init, 'utf8');
  const end = performance.now() + READY_LIMIT_MS;
  while (!existsSync(`/proc/${init}/root${CONTAINERD_SOCKET}`)) {
    const how = ended();
    const log = join(directory, 'logs', 'containerd.log');
    if (how !== undefined)
      throw new Error(`containerd ended with ${how}: ${(await readFile(log, 'utf8')).slice(-2000)}`);
    if (performance.now() > end) throw new Error(`containerd is not ready after ${READY_LIMIT_MS / 1000} s`);
    await sleep(PAUSE_MS);
  }
}
