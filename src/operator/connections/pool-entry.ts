// One service behind a Connection: the parts that share its lifetime, and the settings that may change meanwhile.
import type { Category } from '../../wire/errors/service-error.ts';
import { routes } from '../../wire/routes.ts';
import type { RequestNote } from '../client/http/request.ts';
import type { Limits } from '../client/limits.ts';
import { createService, type Service, type ServiceOptions } from '../client/service-client.ts';
import { ExchangeableCredentials, type ServiceCredentials } from '../client/service-credentials.ts';
import { CountTimer } from './count-timer.ts';
import type { Judgement, Settings, Unlisted } from './pass/service-registry.ts';

/**
 * The least time between checks of the Connection that failures of others cause, in ms. Bad answers may concern one route or object, for
 * days, while the service as a whole works.
 */
const suspicionMs: Partial<Record<Category, number>> = {
  unreachable: 10_000,
  unauthorized: 30_000,
  serverFault: 120_000,
  malformed: 120_000,
};

/** While the Connection itself cannot reach the service, a success of others causes a check this often, in ms. */
const recoveryMs = 10_000;

export interface PoolEntry {
  /** What identifies the service: another value makes another service. */
  readonly identity: string;
  readonly service: Service;
  readonly credentials: ExchangeableCredentials;
  settings: Settings;
  /** Undefined: not observed yet. */
  judgement: Judgement | undefined;
  suspected: boolean;
  readonly count: CountTimer;
  countDue: boolean;
  /**
   * Whether the service has ever accepted the credentials, or has only refused them so far. Claims made through a Connection that was
   * never accepted do not count against others.
   */
  acceptance: 'unknown' | 'accepted' | 'refused';
  /** Monotonic ms of the last request for a check. */
  suspectedAt: number;
  readonly openedAt: number;
  /** Monotonic ms of the last good answer to a read, by collection. */
  readonly readAt: Map<string, number>;
  /** Consecutive failures to read a whole list, by collection, and the last reason. */
  readonly failedLists: Map<string, FailedList>;
}

export interface FailedList {
  readonly times: number;
  readonly why: string;
}

interface EntryOptions extends Omit<ServiceOptions, keyof Settings | 'tls'> {
  readonly settings: Settings;
  readonly identity: string;
  /** According to status, this service accepted the Connection before. */
  readonly accepted: boolean;
  readonly countDue: () => void;
}

/** Throws TypeError or RangeError, in the client's words, for an address or limits that it cannot work with. */
export function openEntry({ settings, identity, accepted, countDue, ...options }: EntryOptions): PoolEntry {
  const { clock } = options;
  const credentials = new ExchangeableCredentials(options.credentials);
  const { endpoint, tenant, dialect } = settings;
  const service = createService({ ...options, endpoint, tenant, dialect, credentials, ...tunable(settings) });
  return {
    identity,
    service,
    credentials,
    settings,
    judgement: undefined,
    acceptance: accepted ? 'accepted' : 'unknown',
    suspected: false,
    count: new CountTimer(clock, countDue),
    countDue: false,
    suspectedAt: Number.NEGATIVE_INFINITY,
    openedAt: clock.monotonic(),
    readAt: new Map(),
    failedLists: new Map(),
  };
}

/**
 * New settings for the same service: nothing that is known of it is lost. True where passes depend on one of the changed settings:
 * those that the edit itself woke may have used the old one, and those that back off need not wait any longer.
 */
export function replaceSettings(entry: PoolEntry, settings: Settings, credentials: ServiceCredentials): boolean {
  entry.credentials.replace(credentials);
  const before = tunable(entry.settings);
  const next = tunable(settings);
  if (JSON.stringify(before) !== JSON.stringify(next)) entry.service.configure(next);
  const decided = decisive(entry.settings);
  entry.settings = settings;
  return decisive(settings) !== decided;
}

function decisive({ formerEndpoints, pollSeconds, authentication }: Settings): string {
  return JSON.stringify([formerEndpoints, pollSeconds, authentication]);
}

/** Records how a request went, at monotonic `now`; true where the whole service may be failing, so that the Connection should be checked. */
export function noteRequest(entry: PoolEntry, { method, route, category }: RequestNote, now: number): boolean {
  if (category === undefined) entry.acceptance = 'accepted';
  else if (category === 'unauthorized' && entry.acceptance === 'unknown') entry.acceptance = 'refused';
  if (method === 'GET' && (category ?? 'notFound') === 'notFound') entry.readAt.set(route, now);
  const waitMs = noticeMs(entry, category);
  // The Connection's own check judges by itself.
  if (waitMs === undefined || route === routes.plugins.path) return false;
  if (now - entry.suspectedAt < waitMs) return false;
  entry.suspectedAt = now;
  entry.suspected = true;
  return true;
}

/** How long after the last check such a result causes no other; undefined: it never causes one. A failing Connection is checked anyway. */
function noticeMs({ judgement }: PoolEntry, category: Category | undefined): number | undefined {
  if (judgement?.failing) return category === undefined ? recoveryMs : undefined;
  return category && suspicionMs[category];
}

/** Settings that may change while everything known of the service stays. */
function tunable({ timeoutMs, limits, ca, insecureSkipVerify }: Settings) {
  return { timeoutMs, limits, tls: { ca, insecureSkipVerify } };
}

interface Load {
  readonly waiting: number;
  readonly inFlight: number;
  /** Of each service. */
  readonly limits: readonly Limits[];
}

/** Over all services: requests that wait for a permit, and permits in use. */
export function loadOf(entries: Iterable<PoolEntry>): Load {
  const budgets = [...entries].map((entry) => entry.service.budget);
  return {
    waiting: budgets.reduce((sum, { waiting }) => sum + waiting, 0),
    inFlight: budgets.reduce((sum, { inFlight }) => sum + inFlight, 0),
    limits: budgets.map(({ limits }) => limits),
  };
}

/** The longest time limit of a request, in ms; 0 without any service. */
export function longestTimeoutMs(entries: Iterable<PoolEntry>): number {
  return Math.max(0, ...[...entries].map(({ settings }) => settings.timeoutMs));
}

export interface ServicePlace {
  readonly endpoint: string;
  readonly tenant: string;
}

/** All endpoints by which Connections know the service of this endpoint, for one tenant. */
export function aliasesIn(entries: Iterable<PoolEntry>, { endpoint, tenant }: ServicePlace): readonly string[] {
  const known = [...entries]
    .filter(({ settings }) => settings.tenant === tenant)
    .map(({ settings }) => [settings.endpoint, ...settings.formerEndpoints]);
  return [...new Set([endpoint, ...known.filter((one) => one.includes(endpoint)).flat()])];
}

/** A single failure may be chance. */
const tellingTimes = 2;

/** Other failures concern credentials or load, which the Connection's own check finds. */
const aboutLists: readonly (Category | undefined)[] = ['malformed', 'unreachable', 'serverFault'];

/** Records how a list was read; true where the report changes. */
export function noteList({ failedLists }: PoolEntry, { method, route, template, category, why }: RequestNote): boolean {
  // The Connection's own check reads the plugins, and judges by itself.
  if (method !== 'GET' || template !== `/${route}` || route === routes.plugins.path) return false;
  const before = failedLists.get(route);
  const told = (before?.times ?? 0) >= tellingTimes;
  if (category === undefined) failedLists.delete(route);
  if (category === undefined) return told;
  if (!aboutLists.includes(category) || why === undefined) return false;
  const times = (before?.times ?? 0) + 1;
  failedLists.set(route, { times, why });
  return times === tellingTimes || (told && before?.why !== why);
}

/** Those that failed more than once in a row. */
export function unlistedOf(entry: PoolEntry | undefined): readonly Unlisted[] {
  const failed = [...(entry?.failedLists ?? [])].filter(([, { times }]) => times >= tellingTimes);
  return failed
    .map(([collection, { why }]) => ({ collection, why }))
    .toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
}

/** One collection, in some of the services. */
export interface StalenessOf {
  readonly route: string;
  /** Its read interval, where its kind does not leave that to the Connection. */
  readonly pollSeconds: number | undefined;
  /** Whether the service of this Connection, such as `team-a/default`, is one of them. */
  readonly matters: (connection: string) => boolean;
}

/** Each for the service where it is greatest. */
export interface Staleness {
  /** Since the last good answer to a read. */
  readonly ageMs: number;
  /** Since the next read was due; 0: all in time. */
  readonly overdueMs: number;
}

/** At monotonic `now`; undefined where no service matters. */
export function stalenessOf(
  entries: ReadonlyMap<string, PoolEntry>,
  { route, pollSeconds, matters }: StalenessOf,
  now: number,
): Staleness | undefined {
  const readings = [...entries]
    .filter(([connection]) => matters(connection))
    .map(([, { readAt, openedAt, settings }]) => {
      const ageMs = now - (readAt.get(route) ?? openedAt);
      return { ageMs, overdueMs: ageMs - (pollSeconds ?? settings.pollSeconds) * 1_000 };
    });
  if (readings.length === 0) return undefined;
  return {
    ageMs: Math.max(...readings.map((one) => one.ageMs)),
    overdueMs: Math.max(0, ...readings.map((one) => one.overdueMs)),
  };
}
