// The entry point of the kubectl plugin: arguments, signals, errors and exit codes.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { loadClusterConfig } from '../kube/config/cluster-config.ts';
import { createTransport } from '../kube/http/transport.ts';
import { reasonOf } from '../lib/errors.ts';
import { awakeClock } from '../lib/system.ts';
import type { Access } from './cli-flags.ts';
import { type Command, readCommand, UsageError } from './command-line.ts';
import { type Offer, offerText } from './completion.ts';
import type { LogAccess } from './logs/log-source.ts';
import { printLogs } from './logs/logs-command.ts';
import { Objects } from './objects.ts';
import { runFiles } from './run-command.ts';
import type { Printer } from './run-output.ts';
import { visible } from './visible.ts';

const failed = 1;
const misused = 2;
const interrupted = 130;

/** Of the package that this file is in, as a source or built. */
function versionHere(): string {
  const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8')) as { version: string };
  return version;
}

function printLine(line: string): void {
  return void process.stderr.write(`${visible(line)}\n`);
}

function printerFor(signal: AbortSignal): Printer {
  return {
    clock: awakeClock,
    signal,
    isTerminal: process.stdout.isTTY === true,
    tell: printLine,
    print: async (bytes) => {
      if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
    },
  };
}

async function withAccess<T>(access: Access, use: (access: LogAccess) => Promise<T>): Promise<T> {
  const { kubeconfig, context, tokenFile } = access;
  const config = await loadClusterConfig({ kubeconfig, context, environment: process.env, clock: awakeClock });
  const transport = createTransport({ config, clock: awakeClock, userAgent: 'kubectl-dataprocessing' });
  try {
    const objects = new Objects(transport, access.namespace ?? config.namespace);
    const isInCluster = process.env['KUBERNETES_SERVICE_HOST'] !== undefined;
    return await use({ objects, transport, tokenFile, isInCluster });
  } finally {
    await transport.close();
  }
}

/** Without the right or the cluster, there are no names: nothing may disturb the line that is being typed. */
async function completed(offer: Offer): Promise<string> {
  if (offer.offer !== 'executions')
    return offerText(offer.offer === 'words' ? offer.words : [], offer.offer === 'files');
  const names = await withAccess(offer.access, ({ objects }) => objects.executionNames()).catch(() => []);
  return offerText(
    names.filter((name) => name.startsWith(offer.begin)),
    false,
  );
}

async function runCommand(command: Command, signal: AbortSignal): Promise<number> {
  const printer = printerFor(signal);
  switch (command.command) {
    case 'print':
      process.stdout.write(command.text);
      return 0;
    case 'complete':
      process.stdout.write(await completed(command.offer));
      return 0;
    case 'logs':
      return withAccess(command.access, (access) => printLogs(access, command, printer));
    case 'run':
      return withAccess(command.access, (access) => runFiles(access, command, printer));
  }
}

/** `kubectl dataprocessing logs | head` is no error. But how the run ends is not known yet. */
function unread(command: string | undefined): number {
  if (command !== 'run') return 0;
  printLine('error: standard output was closed before the run ended. The run goes on');
  return failed;
}

async function main(): Promise<number> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.stdout.on('error', () => process.exit(unread(process.argv[2])));
  try {
    return await runCommand(readCommand(process.argv.slice(2), versionHere()), stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return interrupted;
    printLine(`error: ${reasonOf(error)}`);
    return error instanceof UsageError ? misused : failed;
  }
}

process.exitCode = await main();
