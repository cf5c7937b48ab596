// A node leaves no trace on the computer, however its plane ends.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { filesOf, prepareDirectory } from '../../dev/plane/directory.ts';
import { nodeFilesOf } from '../../dev/plane/node/files.ts';
import { processExists } from '../../src/lib/fetch/lock.ts';
import { cleanEnvironment } from '../plane/support.ts';
import { limitMs } from '../support/patience.ts';
import { namespaceOf, noTraces, type OwnTraces, stateOfComputer, tracesOf } from './support/traces.ts';

interface Held extends OwnTraces {
  readonly parent: ChildProcess;
  /** Of the API server. */
  readonly port: number;
  readonly supervisor: number;
}

/** Starts a plane with a node in a process of its own. Its pods are those of CoreDNS. */
async function hold(): Promise<Held> {
  const script = join(import.meta.dirname, '..', 'plane', 'hold.ts');
  const env = cleanEnvironment();
  const parent = spawn(process.execPath, [script, 'node'], { stdio: ['ignore', 'pipe', 'inherit'], env });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
  const { directory } = JSON.parse((await lines.next()).value ?? 'null') as { directory: string };
  const { hostname, port } = new URL(await readFile(filesOf(directory).url, 'utf8'));
  const init = await readFile(nodeFilesOf(directory).init, 'utf8');
  return {
    parent,
    supervisor: Number(await readFile(filesOf(directory).supervisor, 'utf8')),
    directory,
    address: hostname,
    port: Number(port),
    namespaces: ['net', 'mnt', 'pid'].map((kind) => namespaceOf(init, kind)),
  };
}

/** A connection to the node whose other side does not answer any more: it must not keep the network of the node. */
async function connectAndFallSilent({ address, port }: Held): Promise<void> {
  const socket = connect(port, address);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const rule = ['INPUT', '-s', address, '-j', 'DROP'];
  execFileSync('iptables', ['-I', ...rule]);
  onTestFinished(() => void execFileSync('iptables', ['-D', ...rule]));
}

// A cluster of somebody else's says nothing about our own node.
describe.skipIf(inject('podsDirectory') === '')('the end of a node', () => {
  it('nothing is left when the process that started the plane is killed', async () => {
    const before = stateOfComputer();
    const held = await hold();
    expect(await tracesOf(held)).toMatchObject({
      processes: expect.arrayContaining([expect.any(String)]),
      interfaces: [expect.any(String)],
      cgroups: expect.arrayContaining([expect.any(String)]),
      directory: [held.directory],
    });
    expect(stateOfComputer()).toEqual(before);
    held.parent.kill('SIGKILL');
    await vi.waitFor(async () => expect(await tracesOf(held)).toEqual(noTraces), limitMs);
    expect(stateOfComputer()).toEqual(before);
  });

  it('only files and cgroups are left when the supervisor is killed, too, and the next plane removes them', async () => {
    const held = await hold();
    await connectAndFallSilent(held);
    for (const pid of [held.supervisor, held.parent.pid ?? 0]) process.kill(pid, 'SIGKILL');
    const { directory } = held;
    await vi.waitFor(
      async () => expect(await tracesOf(held)).toMatchObject({ processes: [], interfaces: [], mounts: [] }),
      limitMs,
    );
    expect(await tracesOf(held)).toMatchObject({ directory: [directory] });
    // Its pid is taken until the first process of the computer has waited for it.
    await vi.waitFor(() => expect(processExists(held.supervisor)).toBe(false), limitMs);
    await prepareDirectory(directory);
    onTestFinished(async () => rm(directory, { recursive: true }));
    expect(await tracesOf(held)).toEqual({ ...noTraces, directory: [directory] });
  });
});
