// The entry point of the operator: configuration, log and signals.
import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { loadClusterConfig } from '../kube/config/cluster-config.ts';
import type { ClusterConfig } from '../kube/config/config-types.ts';
import { createTransport } from '../kube/http/transport.ts';
import { logDestination } from '../lib/log-destination.ts';
import { systemClock, systemRandom, untilDone } from '../lib/system.ts';
import { threads } from './client/http/lookup.ts';
import { type Config, help, readConfig, setThreads } from './config.ts';
import { readClusterUid } from './kube/read-object.ts';
import { keepHeapSmall } from './wiring/heap.ts';
import type { LeaseOptions } from './wiring/leadership.ts';
import { createOperator } from './wiring/operator.ts';

// A second line of defense: nothing that is logged should contain a secret.
const redact = ['*.token', '*.authorization', '*["x-auth-token"]', '*.password', '*.data'];

const signals = ['SIGINT', 'SIGTERM'] as const;

async function run(config: Config): Promise<void> {
  const logger = pino(
    { level: config['log-level'], base: null, redact, timestamp: pino.stdTimeFunctions.isoTime },
    logDestination(),
  );
  const { kubeconfig, context, environment } = config;
  const cluster = await loadClusterConfig({ kubeconfig, context, environment, clock: systemClock });
  // Another replica may lead now, so requests in progress must not finish.
  const lost = () => end(logger, 1);
  const operator = createOperator({
    cluster,
    namespaces: config.namespaces,
    installation: config.installation ?? (await installationOf(cluster)),
    quarantineMs: config.quarantine,
    proxies: config.proxies,
    health: config['health-address'],
    web: config['web-address'],
    instance: environment['POD_NAME'] ?? hostname(),
    lease: config['leader-elect'] ? leaseOf(config, cluster, lost) : undefined,
    clock: systemClock,
    random: systemRandom,
    log: logger,
  });
  let stopping = false;
  const stop = async (signal: string) => {
    // A second signal ends the process at once.
    if (stopping) end(logger, 1);
    stopping = true;
    logger.info({ action: signal }, 'stopping');
    const troubles = await untilDone(() => operator.stop(config['shutdown-timeout']));
    for (const trouble of troubles) logger.warn({ action: 'stop' }, trouble);
    end(logger, troubles.length === 0 ? 0 : 1);
  };
  for (const signal of signals) process.on(signal, () => void stop(signal));
  keepHeapSmall(systemClock);
  await operator.start();
  if (!stopping) logger.info({ action: 'start' }, `running; health on port ${operator.healthPort()}`);
}

/** Without listeners, the next signal kills the process even if Node hangs while it exits. */
function end(logger: Logger, code: number): never {
  logger.flush();
  for (const signal of signals) process.removeAllListeners(signal);
  process.exit(code);
}

function leaseOf(config: Config, { namespace }: ClusterConfig, lost: () => void): LeaseOptions {
  return {
    namespace: config['lease-namespace'] ?? namespace,
    durationMs: config['lease-duration'],
    renewDeadlineMs: config['lease-renew-deadline'],
    retryMs: config['lease-retry-period'],
    lost,
  };
}

async function installationOf(cluster: ClusterConfig): Promise<string> {
  const transport = createTransport({ config: cluster, clock: systemClock });
  try {
    return await readClusterUid(transport);
  } catch (error) {
    throw new Error(
      'cannot read the uid of the namespace kube-system, which identifies this installation: grant get on it, or set --installation',
      { cause: error },
    );
  } finally {
    await transport.close();
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}

try {
  setThreads(threads);
  const config = readConfig(process.argv.slice(2));
  if (config.help) process.stdout.write(help);
  else await run(config);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
