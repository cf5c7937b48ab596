// The entry point of the kubectl plugin: arguments, signals, errors and exit codes.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { loadClusterConfig } from '../kube/config/cluster-config.ts';
import { createTransport } from '../kube/http/transport.ts';
import { reasonOf } from '../lib/errors.ts';
import { awakeClock } from '../lib/system.ts';
import type { Access } from './arguments/cli-flags.ts';
import { readCommand } from './arguments/command-line.ts';
import type { Command } from './arguments/commands.ts';
import { type Offer, offerText } from './arguments/completion.ts';
import { UsageError } from './arguments/usage-error.ts';
import { printDoctor } from './doctor/doctor-command.ts';
import { printImport } from './import/import-command.ts';
import { printLogs } from './logs/logs-command.ts';
import { Objects } from './objects.ts';
import { asking } from './output/asking.ts';
import type { Printer } from './output/run-output.ts';
import { visible } from './output/visible.ts';
import { approvePlan } from './plan/approve-command.ts';
import { printPlans } from './plan/plan-command.ts';
import type { Reach } from './reach.ts';
import { runFiles } from './run/run-command.ts';
import { printOrphans } from './service/orphans-command.ts';
import { printStatus } from './status/status-command.ts';
import { printWhy } from './why/why-command.ts';

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
    isColoured: process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
    tell: printLine,
    ...(process.stdin.isTTY === true &&
      process.stderr.isTTY === true && { ask: asking(process.stdin, process.stderr, signal) }),
    print: async (bytes) => {
      if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
    },
  };
}

async function withAccess<T>(access: Access, use: (access: Reach) => Promise<T>): Promise<T> {
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
  if (offer.offer !== 'names') return offerText(offer.offer === 'words' ? offer.words : [], offer.offer === 'files');
  const { kind, access, begin, after } = offer;
  const names = await withAccess(access, ({ objects }) => objects.names(kind)).catch(() => []);
  const matching = names.filter((name) => name.startsWith(begin));
  return offerText(
    matching.map((name) => `${after}${name}`),
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
    case 'why':
      return withAccess(command.access, (access) => printWhy(access, command, printer));
    case 'doctor':
      return withAccess(command.access, (access) =>
        printDoctor(access, { wish: command, version: versionHere() }, printer),
      );
    case 'orphans':
      return withAccess(command.access, (access) => printOrphans(access, command, printer));
    case 'import':
      return withAccess(command.access, (access) => printImport(access, command, printer));
    case 'plan':
      return withAccess(command.access, (access) => printPlans(access, command, printer));
    case 'approve':
      return withAccess(command.access, (access) => approvePlan(access, command, printer));
    case 'status':
      return withAccess(command.access, (access) => printStatus(access, command, printer));
  }
}

const unknownEnds: Readonly<Record<string, string>> = {
  run: 'before the run ended. The run goes on',
  approve: 'before it was known what became of the plan. If it was approved, the operator carries it out',
};

/** `kubectl dataprocessing logs | head` is no error. But how a run ends, or a plan, is not known yet. */
function unread(command = ''): number {
  const end = Object.hasOwn(unknownEnds, command) ? unknownEnds[command] : undefined;
  if (end === undefined) return 0;
  printLine(`error: standard output was closed ${end}`);
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
