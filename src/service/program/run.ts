// The program of the bundled service: flags, random numbers, log and signals.
import { isIP } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { type Logger, pino } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import { createGuardedDownload as guardedDownload } from '../../lib/fetch/guarded.ts';
import { createBarProgress, createLineProgress } from '../../lib/fetch/progress.ts';
import type { FlagTable, FlagValues } from '../../lib/flags.ts';
import { logDestination } from '../../lib/log-destination.ts';
import type { Log, Random } from '../../lib/ports.ts';
import {
  systemAskJson as ask,
  awakeClock,
  systemClock as clock,
  systemDownload as download,
  drawSecret,
  systemGet as get,
  measureLoopDelay,
  systemRandom,
  untilDone,
} from '../../lib/system.ts';
import { readTokens } from '../api/authentication/authentication.ts';
import type { LocalIdentity } from '../api/authentication/validation.ts';
import { openPods } from '../backends/pods/open-pods.ts';
import { ownFolder } from '../backends/processes/clusters/owner.ts';
import { machinesFolder, openProcesses } from '../backends/processes/open-processes.ts';
import { cleanMachines } from '../backends/processes/stop-and-clean.ts';
import type { Catalog } from '../model/catalog/catalog.ts';
import { createSeededRandom } from '../model/records/identifiers.ts';
import { openSqliteStore } from '../model/store/sqlite-store.ts';
import { createMemoryStore, type Store } from '../model/store/store.ts';
import { plannedClusters } from '../resources/clusters/plan-check.ts';
import { readPlugins } from '../resources/plugins/plugins-file.ts';
import { readFixtures } from './fixtures/file.ts';
import { loadFixtures } from './fixtures/fixtures.ts';
import { checkKeystone, cleanHelp, type Flags, help, parseClean, parseFlags } from './flags/flags.ts';
import type { ServerHooks } from './options.ts';
import { createServer } from './server.ts';

/** The same numbers for the same seed, but different ones in each life of kept data, so that no identifier is assigned twice. */
function createRandom(seed: number | undefined, store: Store): Random {
  if (seed !== undefined) return createSeededRandom(seed + 7919 * store.starts);
  return { next: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32 };
}

function openStore({ data, dialect }: Flags, log: Log): Store {
  return data === undefined ? createMemoryStore() : openSqliteStore(data, { dialect, log });
}

const createCatalog = ({ flavors, images, quota, plugins, ...flags }: Flags): Partial<Catalog> => ({
  flavors: flavors?.map((id) => ({ id })),
  images,
  quota,
  rowQuota: flags['quota-rows'],
  rowByteQuota: flags['quota-row-bytes'],
  // The other half is for requests, answers and everything else.
  allRowBytes: Math.floor(getHeapStatistics().heap_size_limit / 2),
  byteQuota: flags['quota-bytes'],
  runByteQuota: flags['quota-run-bytes'],
  ...(plugins && { plugins: readPlugins(plugins) }),
});

function createLogger(level: string): Logger {
  return pino({ level, base: null, redact: ['*.token', '*["x-auth-token"]'] }, logDestination());
}

/** Undefined if clusters are simulated. */
async function openReal(settings: Flags, log: Log, store: Store) {
  const { provisioner, data, limits } = settings;
  const environment = process.env;
  const requests = { get, ask, download, guardedDownload };
  const common = { settings, data, room: store.volume, clock, log, ...requests, createSecret: () => drawSecret(24) };
  if (provisioner === 'simulated') return undefined;
  if (provisioner === 'kubernetes')
    return openPods({
      ...common,
      isLimited: settings['max-concurrent'] !== undefined,
      limits,
      environment,
      random: systemRandom,
    });
  const progress = process.stderr.isTTY
    ? createBarProgress(process.stderr, awakeClock)
    : createLineProgress((line) => log.info({ action: 'engines' }, line), awakeClock);
  const search = { environment, progress, clock: awakeClock };
  return openProcesses({ ...common, search, clusters: () => plannedClusters(store) });
}

/** What a wrapper adds to the program, such as `dev/service.ts`. */
export interface Wrapper<More extends FlagTable> {
  readonly flags: More;
  /** Follows the help of the program. */
  readonly help: string;
  /** Throws at flags that are wrong. */
  readonly wrap: (flags: Flags & FlagValues<More>) => Wrapping;
}

interface Wrapping {
  readonly hooks: ServerHooks | undefined;
  readonly identity: LocalIdentity | undefined;
  /** Called once the server listens. `announcement`: more lines of the output. `close`: called when the server closes. */
  readonly start: () => Promise<{ readonly announcement: string; readonly close: () => Promise<void> }>;
}

const bare: Wrapping = {
  hooks: undefined,
  identity: undefined,
  start: async () => ({ announcement: '', close: async () => {} }),
};

async function serve(flags: Flags, { hooks, identity, start }: Wrapping): Promise<void> {
  checkKeystone(flags, identity !== undefined);
  const log = createLogger(flags['log-level']);
  const store = openStore(flags, log);
  const { dialect, 'token-file': tokenFile, limits, stageMs } = flags;
  const real = await openReal(flags, log, store);
  const options = {
    clock,
    random: createRandom(flags.seed, store),
    log,
    store,
    dialect,
    grants: [...flags.token, ...(tokenFile === undefined ? [] : readTokens(tokenFile, log))],
    keystone: flags.auth === 'keystone' ? { authUrl: flags['auth-url'], cacheMs: flags['auth-cache-ms'] } : undefined,
    allowedHosts: flags['allowed-host'],
    webPage: flags['web-page'],
    limits,
    identity,
    stageMs,
    latencyMs: flags['latency-ms'],
    maxConcurrent: flags['max-concurrent'],
    catalog: { ...createCatalog(flags), ...real?.catalog },
    ...(real && { provisioner: real.provisioner, engine: real.engine }),
    hooks,
    loopDelay: measureLoopDelay(),
  };
  if (flags.load !== undefined) readFixtures(flags.load, (fixtures) => loadFixtures(options, fixtures, log));
  const server = createServer(options);
  const url = await server.start({ port: flags.port, host: flags.host });
  const added = await start();
  const close = async () => {
    await Promise.all([server.close(), added.close()]);
    await real?.close();
    store.close();
  };
  endAtSignals(log, close);
  // This is the last step, because whoever reads this line can send a signal at once.
  process.stdout.write(`listening on ${withHost(url, flags.host)}\n${added.announcement}`);
}

function endAtSignals(log: Log, close: () => Promise<void>): void {
  const end = (signal: string) => {
    log.info({ action: signal }, 'closing');
    void untilDone(close).then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(signal));
}

/** The address that was asked for: with 0.0.0.0, the service listens on all addresses and not only on loopback. */
function withHost(url: string, host: string): string {
  return isIP(host) === 0 ? url : `http://${isIP(host) === 6 ? `[${host}]` : host}:${new URL(url).port}`;
}

async function clean(args: readonly string[]): Promise<void> {
  const flags = parseClean(args);
  if (flags.help) return void process.stdout.write(cleanHelp);
  const machines = machinesFolder(flags, process.env);
  const disown = ownFolder(machines);
  const { signal } = new AbortController();
  const { clusters, runs } = await untilDone(() => cleanMachines(machines, { clock, signal }));
  disown();
  process.stdout.write(`removed ${clusters} clusters and ${runs} jobs from ${machines}\n`);
}

async function runCommand<More extends FlagTable>(args: readonly string[], wrapper?: Wrapper<More>): Promise<void> {
  const [command, ...rest] = args;
  if (command === 'clean') return clean(rest);
  const flags = parseFlags(args, wrapper?.flags);
  if (flags.help) process.stdout.write(help + (wrapper?.help ?? ''));
  else await serve(flags, wrapper?.wrap(flags) ?? bare);
}

function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

/** Runs the program. Errors end the process with their message and the code 1. */
export const run = <More extends FlagTable>(args: readonly string[], wrapper?: Wrapper<More>): Promise<void> =>
  runCommand(args, wrapper).catch(fail);
