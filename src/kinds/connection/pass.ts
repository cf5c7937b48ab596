// One pass over a Connection: its Secrets are held, its service is reached with their content, and its status says whether that works.

import type { Service } from '../../adapter/service.ts';
import { finalizer } from '../../api/common.ts';
import type { RawResource } from '../../api/definition.ts';
import type { Clock } from '../../ports.ts';
import type { Census } from '../../reconcile/census.ts';
import { canonicalJson } from '../../reconcile/naming.ts';
import { type Outcome, outcomeOfError } from '../../reconcile/outcome.ts';
import type { EventSink, Key, ResourceStore } from '../../reconcile/ports.ts';
import { missedPollsLimit, missedPollsMs } from '../../reconcile/status.ts';
import type { Verdict } from '../../reconcile/verdict.ts';
import type { Plugin } from '../../wire/plugin.ts';
import { leave } from './leaving.ts';
import type { Registry } from './registry.ts';
import { connection } from './schema.ts';
import { type ConnectionSpec, secretNames, settingsOf } from './settings.ts';
import { say } from './status.ts';

/** How often the plugins are read, which is how reachability is watched while all is well. */
const checkMs = 10 * 60_000;
/** How often the objects in the service are counted, at most. */
const countMs = 60_000;
const refusedForGood: readonly string[] = ['Unauthorized', 'ExternalRejected'];

export interface ConnectionPorts {
  readonly store: ResourceStore;
  readonly registry: Registry;
  readonly events: EventSink;
  readonly clock: Clock;
  /** What this installation has in the service; undefined before every collection was listed. */
  census(key: Key): Census | undefined;
  /** Resources with something in the service that they need this Connection for. */
  users(key: Key): readonly RawResource[];
}

/** What this process knows of a Connection; losing it costs one request. */
interface Memory {
  readonly uid: string;
  checked?: { readonly at: number; readonly of: string; readonly plugins: readonly Plugin[] };
  countedAt?: number;
  missed?: { readonly count: number; readonly since: number };
}

export function createConnectionPass(ports: ConnectionPorts): (key: Key, signal: AbortSignal) => Promise<Verdict> {
  const memories = new Map<string, Memory>();
  return async (key, signal) => {
    const name = `${key.namespace}/${key.name}`;
    const resource = ports.store.read(key);
    if (!resource) {
      memories.delete(name);
      ports.registry.forget(key);
      return { next: 'gone' };
    }
    const known = memories.get(name);
    const memory = known?.uid === resource.metadata.uid ? known : { uid: resource.metadata.uid };
    memories.set(name, memory);
    try {
      return await reconcile({ ports, key, resource, memory, signal });
    } catch (error) {
      return verdictOfFailure(outcomeOfError(error));
    }
  };
}

function verdictOfFailure(outcome: Outcome): Verdict {
  if (outcome.result === 'conflict') return { next: 'retry', maxMs: 1_000 };
  return { next: 'retry' };
}

interface Context {
  readonly ports: ConnectionPorts;
  readonly key: Key;
  readonly resource: RawResource;
  readonly memory: Memory;
  readonly signal: AbortSignal;
}

async function reconcile(context: Context): Promise<Verdict> {
  const { ports, key, resource, memory } = context;
  const { deletionTimestamp, finalizers } = resource.metadata;
  const deleting = deletionTimestamp !== undefined;
  if (deleting && !finalizers?.includes(finalizer)) {
    ports.registry.forget(key);
    return { next: 'watch' };
  }
  const parsed = connection.spec.safeParse(resource.spec);
  if (!parsed.success) return unreadable(context, parsed.error.issues[0]);
  const held = deleting || finalizers?.includes(finalizer) ? resource : await ports.store.claim(resource, undefined);
  await holdSecrets(ports, held);
  const service = open({ ...context, resource: held }, parsed.data);
  if (deleting) return leave({ ...context, resource: held });
  if (typeof service === 'string') {
    ports.registry.broken(key, { message: `Connection ${key.name} has no credentials: ${service}`, credentials: true });
    delete memory.checked;
    await say(
      { ...context, resource: held },
      { standing: { state: 'progressing', reason: 'CredentialsMissing', message: service } },
    );
    return { next: 'watch' };
  }
  return check({ ...context, resource: held }, parsed.data, service);
}

async function unreadable(
  context: Context,
  issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined,
): Promise<Verdict> {
  const { ports, key, resource } = context;
  const message = `spec.${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'cannot be read'}`;
  ports.registry.broken(key, { message: `Connection ${key.name} cannot be used: ${message}`, credentials: false });
  if (resource.metadata.deletionTimestamp) return leave(context);
  await say(context, { standing: { state: 'stalled', reason: 'InvalidSpec', message } });
  return { next: 'watch' };
}

/** Our finalizer keeps the Secrets readable for as long as something may have to be deleted with them. */
async function holdSecrets(ports: ConnectionPorts, resource: RawResource): Promise<void> {
  for (const secret of secretsOf(ports, resource)) {
    const { deletionTimestamp, finalizers } = secret.metadata;
    if (deletionTimestamp === undefined && !finalizers?.includes(finalizer)) await ports.store.claim(secret, undefined);
  }
}

function secretsOf({ store }: ConnectionPorts, resource: RawResource): readonly RawResource[] {
  const { namespace } = resource.metadata;
  return secretNames(resource.spec).flatMap((name) => store.read({ kind: 'Secret', namespace, name }) ?? []);
}

/** The service, or what is missing to reach it. */
function open({ ports, key, resource }: Context, spec: ConnectionSpec): Service | string {
  const { namespace, uid } = resource.metadata;
  const found = settingsOf(spec, uid, (name) => ports.store.read({ kind: 'Secret', namespace, name }));
  return found.ok ? ports.registry.apply(key, found.settings) : found.message;
}

// --- reachable? ------------------------------------------------------------------------------------------------------------

async function check(context: Context, spec: ConnectionSpec, service: Service): Promise<Verdict> {
  const { ports, key, resource, memory, signal } = context;
  const now = ports.clock.monotonic();
  // A new generation or new content of a Secret is looked at anew.
  const of = [
    resource.metadata.generation,
    ...secretsOf(ports, resource).map((secret) => secret.metadata.uid + canonicalJson(secret.data)),
  ].join();
  const suspected = ports.registry.suspected(key);
  const known = memory.checked;
  if (known && known.of === of && !memory.missed && !suspected && now - known.at < checkMs) {
    return reachable(context, spec, known.plugins);
  }
  try {
    const plugins = await service.plugins(signal);
    memory.checked = { at: now, of, plugins };
    delete memory.missed;
    return await reachable(context, spec, plugins);
  } catch (error) {
    return failed(context, outcomeOfError(error, `reach the service at ${spec.endpoint}`), of);
  }
}

async function reachable(context: Context, spec: ConnectionSpec, plugins: readonly Plugin[]): Promise<Verdict> {
  const { ports, key } = context;
  ports.registry.judge(key, { mayCreate: true });
  const warnings = [
    ...(spec.tls?.insecureSkipVerify
      ? [
          'WARNING: certificates are not checked (tls.insecureSkipVerify), so anyone on the way can read the credentials',
        ]
      : []),
    ...secretsOf(ports, context.resource)
      .filter((secret) => secret.metadata.deletionTimestamp)
      .map((secret) => `Secret ${secret.metadata.name} is being deleted; it is kept until no Connection refers to it`),
  ];
  await say(context, {
    standing: { state: 'ready', message: ['the service answers', ...warnings].join('. ') },
    plugins,
    census: recount(context),
  });
  return { next: 'settled', pollMs: checkMs };
}

/** However often the Connection is looked at: a count that moves all the time would be a write each time. */
function recount({ ports, key, memory }: Context): Census | undefined {
  const now = ports.clock.monotonic();
  if (memory.countedAt !== undefined && now - memory.countedAt < countMs) return undefined;
  const census = ports.census(key);
  if (census) memory.countedAt = now;
  return census;
}

async function failed(context: Context, outcome: Outcome, of: string): Promise<Verdict> {
  const { ports, key, memory } = context;
  if (outcome.result !== 'failed') return verdictOfFailure(outcome);
  const now = ports.clock.monotonic();
  memory.missed = { count: (memory.missed?.count ?? 0) + 1, since: memory.missed?.since ?? now };
  const blip = memory.checked?.of === of && !refusedForGood.includes(outcome.reason);
  const grace = blip && (memory.missed.count < missedPollsLimit || now - memory.missed.since < missedPollsMs);
  if (!grace) {
    ports.registry.judge(key, { mayCreate: false, message: `Connection ${key.name} is not ready: ${outcome.message}` });
    const { plugins } = memory.checked ?? {};
    await say(context, {
      standing: { state: 'retrying', reason: outcome.reason, message: outcome.message },
      ...(plugins ? { plugins } : {}),
    });
  }
  return { next: 'retry', ...(outcome.retryAfterMs === undefined ? {} : { afterMs: outcome.retryAfterMs }) };
}
