// What is known about an object whose state is to be explained.
import { ApiError, kindAbsent } from '../../kube/api-error.ts';
import type { PodTransport } from '../../kube/http/transport.ts';
import { collectionPath, objectPath, type ResourceKind } from '../../kube/resource.ts';
import { messageOf } from '../../lib/errors.ts';
import type { ObjectName } from '../kind-names.ts';
import type { Observed } from '../observed.ts';
import { type OperatorState, readOperatorState } from '../operator-state.ts';
import { followChain, type Place, type Seen, type Step } from './chain.ts';

export interface Warning {
  readonly reason: string;
  readonly message: string;
  readonly time: string | undefined;
}

export interface Situation {
  /** Of the command. An object of the whole cluster is not in it. */
  readonly namespace: string;
  readonly root: Step;
  readonly operator: OperatorState;
  /** The newest event of type Warning about the object, if it may be read. */
  readonly warning: Warning | undefined;
  /** Of the same kind in the namespace, if the object does not exist. */
  readonly neighbours: readonly string[];
}

const readMs = 5_000;
const mostEvents = 100;
const mostNeighbours = 500;

interface Scope {
  readonly namespace: string;
  readonly operatorNamespace: string | undefined;
}

export async function readSituation(
  transport: PodTransport,
  { kind, name }: ObjectName,
  place: Scope,
): Promise<Situation> {
  const { namespace } = place;
  const read = (of: ResourceKind, key: Place): Promise<Seen> => readObject(transport, of, key);
  const [root, operator, events] = await Promise.all([
    followChain(read, { kind: kind.kind, namespace, name }),
    readOperatorState(transport, place),
    // Events are always in a namespace.
    readWarnings(transport, kind.clusterScoped === true ? 'default' : namespace, { kind: kind.kind, name }),
  ]);
  const uid = root.seen.state === 'found' ? root.seen.object.metadata.uid : undefined;
  const warning = events.filter((one) => one.uid === uid).toSorted(byTime)[0];
  const neighbours = root.seen.state === 'missing' ? await namesIn(transport, kind, namespace) : [];
  return { namespace, root, operator, warning, neighbours };
}

/** Never rejects: what cannot be read is told. */
export async function readObject(transport: PodTransport, kind: ResourceKind, key: Place): Promise<Seen> {
  try {
    const object = await transport.request({ method: 'GET', path: objectPath(kind, key), timeoutMs: readMs });
    return { state: 'found', object: object as Observed };
  } catch (error) {
    if (kindAbsent(error)) return { state: 'kindAbsent' };
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 404) return { state: 'missing' };
    return status === 403 ? { state: 'forbidden' } : { state: 'failed', why: messageOf(error) };
  }
}

interface EventFound {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string } | null;
  readonly metadata?: { readonly creationTimestamp?: string };
  readonly involvedObject?: { readonly uid?: string };
}

/** None without the right to read events. */
async function readWarnings(
  transport: PodTransport,
  namespace: string,
  { kind, name }: { readonly kind: string; readonly name: string },
): Promise<readonly (Warning & { readonly uid: string | undefined })[]> {
  const path = collectionPath({ kind: 'Event', apiVersion: 'v1', plural: 'events' }, namespace);
  const fieldSelector = `type=Warning,involvedObject.kind=${kind},involvedObject.name=${name}`;
  const call = { method: 'GET', path, query: { fieldSelector, limit: mostEvents }, timeoutMs: readMs } as const;
  try {
    const { items } = (await transport.request(call)) as { readonly items: readonly EventFound[] };
    return items.map(({ reason = '', message = '', involvedObject, ...one }) => ({
      reason,
      message,
      time: one.series?.lastObservedTime ?? one.lastTimestamp ?? one.eventTime ?? one.metadata?.creationTimestamp,
      uid: involvedObject?.uid,
    }));
  } catch {
    return [];
  }
}

function byTime(one: Warning, other: Warning): number {
  return (Date.parse(other.time ?? '') || 0) - (Date.parse(one.time ?? '') || 0);
}

async function namesIn(transport: PodTransport, kind: ResourceKind, namespace: string): Promise<readonly string[]> {
  const path = collectionPath(kind, namespace);
  const call = { method: 'GET', path, query: { limit: mostNeighbours }, timeoutMs: readMs } as const;
  try {
    const { items } = (await transport.request(call)) as { readonly items: readonly Observed[] };
    return items.map(({ metadata }) => metadata.name);
  } catch {
    return [];
  }
}
