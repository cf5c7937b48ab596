// Everything that a service has, with the rights of the user. Answers are hostile: they are bounded, and only read.
import { z } from 'zod';
import { startDeadline } from '../../kube/http/deadline.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import { fromWire } from '../../wire/dialect.ts';
import { prefixOf, type Route, routes } from '../../wire/routes.ts';
import { jsonOf } from '../bounded-json.ts';
import type { ServiceSource } from './service-source.ts';

/** A row as the service answers it, in neutral words. */
export interface ServiceRow {
  readonly id: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ServiceCollection {
  /** The kind of the resources that stand for its objects. */
  readonly kind: string;
  readonly route: Route;
}

/** In the order in which one refers to the other. */
export const collections: readonly ServiceCollection[] = [
  { kind: 'ImageRegistration', route: routes.images },
  { kind: 'NodeGroupTemplate', route: routes.nodeGroupTemplates },
  { kind: 'ClusterTemplate', route: routes.clusterTemplates },
  { kind: 'Cluster', route: routes.clusters },
  { kind: 'DataSource', route: routes.dataSources },
  { kind: 'JobBinary', route: routes.jobBinaries },
  { kind: 'Job', route: routes.jobs },
  { kind: 'JobExecution', route: routes.jobExecutions },
];

export interface ReadCollection extends ServiceCollection {
  readonly rows: readonly ServiceRow[];
  /** Why something may be missing; absent: the list is complete. */
  readonly problem?: string;
}

interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const idleMs = 30_000;
const longestMs = 120_000;
const mostRows = 100_000;

const row = z.looseObject({ id: z.string().min(1).max(255), name: z.string().max(1_024).optional() });

/** Never rejects, but for the signal: what cannot be read is a problem of the collection. A service without jobs has none. */
export async function readCollection(
  source: ServiceSource,
  collection: ServiceCollection,
  { clock, signal }: Patience,
): Promise<ReadCollection> {
  const { route } = collection;
  const path = `/${prefixOf(source.dialect, route.path)}/${encodeURIComponent(source.tenant)}/${route.path}`;
  const reason = `no complete answer within ${longestMs / 1_000} s`;
  const deadline = startDeadline({ clock, ms: longestMs, parent: signal, reason });
  try {
    const answer = await jsonOf(await source.get(path, { signal: deadline.signal, idleMs }));
    const { status, value } = answer;
    if ((status === 404 || status === 405) && route.version !== undefined) return { ...collection, rows: [] };
    if (status !== 200) return { ...collection, rows: [], problem: refusalText(status) };
    return { ...collection, ...rowsIn(fromWire(source.dialect, value), route) };
  } catch (error) {
    signal.throwIfAborted();
    const why = deadline.signal.aborted ? reason : messageOf(error);
    return { ...collection, rows: [], problem: `the list of ${route.path} cannot be read: ${why}` };
  } finally {
    deadline.done();
  }
}

function refusalText(status: number): string {
  if (status === 401 || status === 403)
    return `the service refuses the token (${status}): check the Secret of the Connection, or give another token with --token-file`;
  return `the service answers ${status}: check spec.endpoint and spec.tenantID of the Connection`;
}

function rowsIn(body: unknown, route: Route): Pick<ReadCollection, 'rows' | 'problem'> {
  const list: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, route.plural) : undefined;
  if (!Array.isArray(list)) return { rows: [], problem: `the answer has no list of ${route.path}` };
  const rows = list.slice(0, mostRows).flatMap((one: unknown): readonly ServiceRow[] => {
    const { success, data } = row.safeParse(withName(one));
    return success ? [{ id: data.id, name: nameIn(data, route), fields: data }] : [];
  });
  const lost = list.length - rows.length;
  const markers: unknown = Reflect.get(body as object, 'markers');
  const isCut = typeof markers === 'object' && markers !== null && (Reflect.get(markers, 'next') ?? null) !== null;
  if (isCut) return { rows, problem: `the service has more ${route.path} than it lists at once` };
  return lost > 0 ? { rows, problem: `${lost} of the ${route.path} cannot be read` } : { rows };
}

/** A name that is null is as none. */
function withName(one: unknown): unknown {
  return typeof one === 'object' && one !== null && Reflect.get(one, 'name') === null
    ? { ...one, name: undefined }
    : one;
}

/** Runs have a marker in place of a name. */
function nameIn(data: z.output<typeof row>, route: Route): string {
  const { success, data: read } = route.answer.safeParse(data);
  const name: unknown = success ? (read as { readonly name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : (data.name ?? '');
}
