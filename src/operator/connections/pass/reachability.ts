// Whether the service of a Connection can be reached and accepts us: checked at intervals, and whenever something suggests it.
import { type Category, ServiceError } from '../../../wire/errors/service-error.ts';
import { acceptLossAnnotation } from '../../api/shared-api.ts';
import { massDeletionText } from '../../reconcile/lists/mass-deletion.ts';
import { needsUser, type Outcome, outcomeOfError } from '../../reconcile/outcome.ts';
import type { Requeue } from '../../reconcile/requeue.ts';
import { withOwnAccessRemedy } from '../../reconcile/status/credentials-remedy.ts';
import { missedPollsLimit, missedPollsMs } from '../../reconcile/status/standing.ts';
import {
  type CheckedConnection,
  type ConnectionMemory,
  type Context,
  connectionFingerprint,
  countOf,
  secretsOf,
} from './connection-context.ts';
import { isStalled, wasAccepted, writeConnectionStatus } from './connection-status.ts';
import { leaving } from './deletion.ts';
import type { Opened } from './opening.ts';
import type { Settings, Unlisted } from './service-registry.ts';
import { settingsRemedy } from './settings-remedy.ts';
import { toldToUsers } from './told-to-users.ts';

/** How often the plugins are read, which checks reachability while everything works. */
const checkMs = 10 * 60_000;
/** The same while the volume of the service is full. */
const fullCheckMs = 60_000;
/** A timer may fire a tenth early: the last result is too old by then. */
const youngPart = 0.9;
/** How often the objects in the service are counted at most, where nothing indicates a change. */
const countMs = 60_000;
const answers = 'the service answers';
const refusedForGood: readonly string[] = ['Unauthorized', 'ExternalRejected'];

/** How often and for how long a check may fail before a Connection that worked reports it. */
interface Patience {
  readonly times: number;
  readonly ms: number;
}

/** No answer at all: one lost packet is a blip, and two in a row are an outage. */
const patience: Partial<Record<Category, Patience>> = {
  unreachable: { times: 2, ms: 0 },
  serverFault: { times: 3, ms: 30_000 },
};
const longPatience: Patience = { times: missedPollsLimit, ms: missedPollsMs };

function patienceWith({ cause }: ReachFailure): Patience {
  return (cause instanceof ServiceError ? patience[cause.category] : undefined) ?? longPatience;
}

/** The service to check, and what it is reached with. */
type Reached = Extract<Opened, { readonly state: 'open' }>;

export async function check(context: Context, reached: Reached): Promise<Requeue> {
  const { service, settings } = reached;
  const { ports, key, memory, signal } = context;
  const of = connectionFingerprint(context);
  const suspected = ports.registry.suspected(key);
  const known = memory.checked;
  const isYoung = known?.of === of && ports.clock.monotonic() - known.at < youngPart * intervalMs(known);
  if (isYoung && !memory.missed && !suspected) {
    return reachable(context, reached, known);
  }
  // The failed request of another object counts as the first failure.
  if (suspected && !memory.missed) noteMissed(context);
  try {
    const plugins = await service.plugins(signal);
    const checked = { at: ports.clock.monotonic(), of, plugins, isFull: service.isFull };
    memory.checked = checked;
    delete memory.missed;
    return await reachable(context, reached, checked);
  } catch (error) {
    const outcome = outcomeOfError(error, `use the service at ${settings.endpoint}`);
    return failed(context, withRemedy(outcome, context, settings));
  }
}

/** The remedy, where the cause does not name one. */
function withRemedy(outcome: Outcome, { key, resource }: Context, settings: Settings): Outcome {
  if (outcome.result !== 'failed' || !(outcome.cause instanceof ServiceError)) return outcome;
  const { category, why } = outcome.cause;
  const ofSettings = settingsRemedy(outcome.cause, { ...settings, accepted: wasAccepted(resource, settings) });
  if (ofSettings !== undefined) return { ...outcome, message: `${outcome.message}. ${ofSettings}` };
  const remedy = /\b(check|set|use|again)\b/.test(why) ? undefined : remedies[category];
  if (remedy === undefined) return withOwnAccessRemedy(outcome, key, resource.spec);
  return { ...outcome, message: `${outcome.message}. ${remedy}` };
}

const remedies: Partial<Record<Category, string>> = {
  unreachable: 'Check spec.endpoint, and whether the service runs',
  malformed: 'Check that spec.endpoint is the service itself',
  throttled: 'The operator retries, with fewer requests. If the error persists, lower spec.limits',
  serverFault: 'The operator retries. If the error persists, ask the administrator of the service',
};

function intervalMs({ isFull }: CheckedConnection): number {
  return isFull ? fullCheckMs : checkMs;
}

const full =
  'WARNING: the volume of the service is full, so it accepts only deletions and cancellations: delete what is not needed, or ask its administrator for a larger volume';

async function reachable(
  context: Context,
  { service, settings }: Reached,
  checked: CheckedConnection,
): Promise<Requeue> {
  const { at, plugins, isFull } = checked;
  const { ports, key } = context;
  ports.registry.judge(key, { mayCreate: true });
  const warnings = [
    ...tlsWarnings(settings),
    ...(isFull ? [full] : []),
    ...secretsOf(ports, context.resource)
      .filter((secret) => secret.metadata.deletionTimestamp)
      .map(({ metadata: { name } }) => beingDeleted(name)),
  ];
  warnings.push(...ports.registry.unlisted(key).map(unlistedText));
  const loss = await ports.massDeletion(key);
  const vanished = loss && massDeletionText(loss, { annotation: acceptLossAnnotation, connection: key });
  const counted = recount(context);
  await writeConnectionStatus(context, {
    standing: { state: 'ready', message: [answers, ...warnings].join('. ') },
    // A warning may be out of date a moment later, and an event stays for an hour.
    note: answers,
    vanished,
    place: settings,
    accepted: true,
    plugins,
    limits: service.budget.limits,
    count: counted?.count,
  });
  // Only now: a count that could not be reported is still due.
  if (counted) context.memory.counted = counted;
  // Whatever caused this check, the next one stays due when it was.
  return { next: 'settled', pollMs: at + intervalMs(checked) - ports.clock.monotonic() };
}

/** The finalizer of the operator holds it, and a deletion cannot be undone. */
function beingDeleted(secret: string): string {
  return `Secret ${secret} is being deleted, and kept as long as a Connection refers to it: create a Secret with another name, and set it in spec`;
}

/** With Keystone, the settings for TLS apply to the identity service as well. */
function tlsWarnings({ endpoint, authentication, insecureSkipVerify }: Settings): readonly string[] {
  if (!insecureSkipVerify) return [];
  if (endpoint.startsWith('http:') && authentication.type !== 'keystone')
    return ['WARNING: tls.insecureSkipVerify has no effect, because spec.endpoint begins with http://: remove it'];
  return [
    'WARNING: certificates are not checked (tls.insecureSkipVerify, or verify in clouds.yaml), so the credentials can be intercepted',
  ];
}

/** Names the remedy where the cause does not. */
function unlistedText({ collection, why }: Unlisted): string {
  const remedy = /\b(check|shorten|delete)\b/i.test(why) ? '' : '; ask the administrator of the service';
  return `WARNING: its list of ${collection} cannot be read, so everything that depends on it waits: ${why}${remedy}`;
}

/** However often the Connection is checked: a count that changes all the time would be a write each time. */
function recount({ ports, key, memory }: Context): ConnectionMemory['counted'] {
  const now = ports.clock.monotonic();
  if (ports.registry.countDue(key)) delete memory.counted;
  if (memory.counted && now - memory.counted.at < countMs) return memory.counted;
  const census = ports.objectCount(key);
  return census && { at: now, count: countOf(census) };
}

/** The service cannot be used now; one that worked before is given some time. */
export async function failed(context: Context, outcome: Outcome): Promise<Requeue> {
  const { ports, key, memory } = context;
  if (outcome.result !== 'failed') return { next: 'retry', maxMs: 1_000 };
  const missed = noteMissed(context);
  const blip = memory.checked?.of === connectionFingerprint(context) && !refusedForGood.includes(outcome.reason);
  const { times, ms } = patienceWith(outcome);
  const grace = blip && (missed.count < times || ports.clock.monotonic() - missed.since < ms);
  if (!grace) {
    ports.registry.judge(key, { mayCreate: false, message: toldToUsers(key, 'is not ready', outcome), failing: true });
    close(context, outcome);
    const { plugins } = memory.checked ?? {};
    await writeConnectionStatus(context, {
      standing: { state: stateOf(context, outcome), reason: outcome.reason, message: outcome.message },
      ...(plugins ? { plugins } : {}),
    });
  }
  return { next: 'retry', ...(outcome.retryAfterMs === undefined ? {} : { afterMs: outcome.retryAfterMs }) };
}

/** One refusal may come of a service that is just starting: it takes a second one. */
function stateOf({ resource, memory }: Context, outcome: ReachFailure): 'retrying' | 'stalled' {
  const isRepeated = (memory.missed?.count ?? 0) > 1 || isStalled(resource, outcome.reason);
  return needsUser(outcome) && isRepeated ? 'stalled' : 'retrying';
}

function noteMissed({ ports, memory }: Context): NonNullable<ConnectionMemory['missed']> {
  const { count, since } = memory.missed ?? { count: 0, since: ports.clock.monotonic() };
  memory.missed = { count: count + 1, since };
  return memory.missed;
}

type ReachFailure = Extract<Outcome, { readonly result: 'failed' }>;

/** A terminating Connection serves resources that still have to be deleted: they are woken when its service answers again. */
export async function checkLeaving(context: Context, { service }: Reached, left: Requeue): Promise<Requeue> {
  const { ports, key, memory, signal } = context;
  if (!ports.registry.suspected(key) && !memory.missed) return left;
  try {
    await service.plugins(signal);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    noteMissed(context);
    ports.registry.judge(key, { ...leaving(key), failing: true });
    return { next: 'retry' };
  }
  delete memory.missed;
  ports.registry.recovered(key);
  return left;
}

/** Resources that need the Connection report why it cannot be used now, and not an older reason. */
export function close({ ports, key, resource }: Context, outcome: Outcome): void {
  if (outcome.result !== 'failed') return;
  const refused = outcome.reason === 'Unauthorized' && !wasAccepted(resource);
  ports.registry.closed(key, toldToUsers(key, 'is not ready', outcome), refused);
}
