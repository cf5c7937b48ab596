// Starts processes of a plane, tells about them in one line of JSON, and holds them until it is killed.
//
// `plane` as the argument starts a real one, `node` one with a node; `supervisor <directory>` starts two programs that only wait.
import { prepareDirectory } from '../../dev/plane/directory.ts';
import { startPlane } from '../../dev/plane/plane.ts';
import { startSupervisor } from '../../dev/plane/supervisor.ts';

async function start(): Promise<{ directory: string; pids: readonly number[] }> {
  const what = process.argv[2];
  if (what === 'plane' || what === 'node') {
    const { directory, pids } = await startPlane({ node: what === 'node' });
    return { directory, pids: Object.values(pids) };
  }
  const directory = await prepareDirectory(process.argv[3]);
  const supervisor = await startSupervisor(directory, () => undefined);
  const args = ['-e', 'setInterval(() => undefined, 60_000)'];
  // At once: the first answer must not end the wait for the second.
  const logs = `${directory}/logs`;
  await Promise.all(
    ['one', 'two'].map(async (name) =>
      supervisor.start({ name, command: process.execPath, args, log: `${logs}/${name}.log` }),
    ),
  );
  return { directory, pids: [...supervisor.running.values()] };
}

process.stdout.write(`${JSON.stringify(await start())}\n`);
// The plane alone does not keep a process alive.
setInterval(() => undefined, 60_000);
