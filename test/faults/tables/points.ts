// Every write that the operator makes, as a table: each is told from the others by its method, its path and its body.
import { finalizer, group, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';

export type Side = 'kubernetes' | 'service';

/** A request as it arrives at one of the two links. */
export interface Write {
  readonly side: Side;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Parsed; undefined where there is none. */
  readonly body: unknown;
}

export type Deed =
  | 'hold'
  | 'intend'
  | 'record'
  | 'tell'
  | 'release'
  | 'event'
  | 'lease'
  | 'make'
  | 'create'
  | 'change'
  | 'delete';

export interface Point {
  readonly id: string;
  /** What the write does, whatever it is done to. */
  readonly deed: Deed;
  readonly side: Side;
  /** The interface cancels with a GET. */
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  readonly path: RegExp;
  readonly body?: (body: Body) => boolean;
}

/** What the bodies of writes have in them that tells one from the other. */
interface Body {
  readonly metadata?: {
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly holderIdentity?: string; readonly nodeGroups?: readonly unknown[] };
  readonly add_node_groups?: readonly unknown[];
}

interface Ledger {
  readonly claims: readonly { readonly id?: string; readonly attempts?: { readonly open: number } }[];
  readonly change?: object;
}

const ledgerOf = ({ metadata }: Body): Ledger | undefined => {
  const text = metadata?.annotations?.[ledgerAnnotation];
  return text === undefined ? undefined : (JSON.parse(text) as Ledger);
};
const holds = ({ metadata }: Body): boolean => metadata?.finalizers?.includes(finalizer) === true;
const releases = ({ metadata }: Body): boolean => metadata?.finalizers?.includes(finalizer) === false;
const intends = (body: Body): boolean =>
  ledgerOf(body)?.claims.some(({ id, attempts }) => id === undefined && (attempts?.open ?? 0) > 0) === true;
const changes = (body: Body): boolean => ledgerOf(body)?.change !== undefined && !intends(body);
/** What is left of a ledger when neither a create nor a change is about to be sent: what came of one. */
const records = (body: Body): boolean => ledgerOf(body) !== undefined && !intends(body) && !changes(body);
/** The finalizer is added, and nothing was announced yet. */
const holdsNothing = (body: Body): boolean => holds(body) && ledgerOf(body)?.claims.length === 0;

/** The kinds that have something in the service, by the plural of Kubernetes. */
const kinds = [
  ['cluster', 'clusters'],
  ['cluster template', 'clustertemplates'],
  ['node group template', 'nodegrouptemplates'],
  ['image', 'imageregistrations'],
  ['data source', 'datasources'],
  ['job binary', 'jobbinaries'],
  ['job', 'jobs'],
  ['run', 'jobexecutions'],
] as const;

const object = (plural: string, rest = ''): RegExp =>
  new RegExp(`^/apis/${group}/[^/]+/namespaces/[^/]+/${plural}/[^/]+${rest}$`);
const secret = /^\/api\/v1\/namespaces\/[^/]+\/secrets\/[^/]+$/;
const events = '/apis/events\\.k8s\\.io/v1/namespaces/[^/]+/events';
const leases = '/apis/coordination\\.k8s\\.io/v1/namespaces/[^/]+/leases';
const remote = (rest: string): RegExp => new RegExp(`^/v1\\.\\d/[^/]+/${rest}$`);

type Row = readonly [deed: Deed, id: string, method: Point['method'], path: RegExp, body?: NonNullable<Point['body']>];

const ofKind = ([kind, plural]: (typeof kinds)[number]): readonly Row[] => [
  ['intend', `intend ${kind}`, 'PATCH', object(plural), intends],
  ['record', `record ${kind}`, 'PATCH', object(plural), records],
  ['tell', `tell ${kind}`, 'PATCH', object(plural, '/status')],
  ['release', `release ${kind}`, 'PATCH', object(plural), releases],
];

const kubernetes: readonly Row[] = [
  ['hold', 'hold connection', 'PATCH', object('connections'), holds],
  ['tell', 'tell connection', 'PATCH', object('connections', '/status')],
  ['release', 'release connection', 'PATCH', object('connections'), releases],
  ['hold', 'hold secret', 'PATCH', secret, holds],
  ['release', 'release secret', 'PATCH', secret, releases],
  ['hold', 'hold run', 'PATCH', object('jobexecutions'), holdsNothing],
  ...kinds.flatMap(ofKind),
  ['intend', 'intend change of cluster', 'PATCH', object('clusters'), changes],
  ['intend', 'intend change of image', 'PATCH', object('imageregistrations'), changes],
  ['make', 'make cluster of run', 'POST', new RegExp(`^/apis/${group}/[^/]+/namespaces/[^/]+/clusters$`)],
  ['delete', 'remove cluster of run', 'DELETE', object('clusters')],
  ['delete', 'expire run', 'DELETE', object('jobexecutions')],
  ['intend', 'intend change of run', 'PATCH', object('jobexecutions'), changes],
  ['make', 'make scheduled run', 'POST', new RegExp(`^/apis/${group}/[^/]+/namespaces/[^/]+/jobexecutions$`)],
  ['record', 'record scheduled time', 'PATCH', object('jobschedules')],
  ['tell', 'tell schedule', 'PATCH', object('jobschedules', '/status')],
  ['hold', 'hold node group', 'PATCH', object('nodegroups'), holds],
  ['tell', 'tell node group', 'PATCH', object('nodegroups', '/status')],
  ['release', 'release node group', 'PATCH', object('nodegroups'), releases],
  ['record', 'leave count', 'PATCH', object('clusters'), ({ spec }) => spec?.nodeGroups !== undefined],
  ['event', 'event', 'POST', new RegExp(`^${events}$`)],
  ['event', 'event again', 'PATCH', new RegExp(`^${events}/[^/]+$`)],
  ['lease', 'make lease', 'POST', new RegExp(`^${leases}$`)],
  ['lease', 'renew lease', 'PUT', new RegExp(`^${leases}/[^/]+$`), ({ spec }) => spec?.holderIdentity !== ''],
  ['lease', 'give lease back', 'PUT', new RegExp(`^${leases}/[^/]+$`), ({ spec }) => spec?.holderIdentity === ''],
];

const service: readonly Row[] = [
  ['create', 'create cluster', 'POST', remote('clusters')],
  ['change', 'resize cluster', 'PUT', remote('clusters/[^/]+'), ({ add_node_groups }) => add_node_groups === undefined],
  ['change', 'add group', 'PUT', remote('clusters/[^/]+'), ({ add_node_groups }) => add_node_groups !== undefined],
  ['delete', 'delete cluster', 'DELETE', remote('clusters/[^/]+')],
  ['create', 'create cluster template', 'POST', remote('cluster-templates')],
  ['delete', 'delete cluster template', 'DELETE', remote('cluster-templates/[^/]+')],
  ['create', 'create node group template', 'POST', remote('node-group-templates')],
  ['delete', 'delete node group template', 'DELETE', remote('node-group-templates/[^/]+')],
  ['create', 'register image', 'POST', remote('images/[^/]+')],
  ['change', 'tag image', 'POST', remote('images/[^/]+/tag')],
  ['change', 'untag image', 'POST', remote('images/[^/]+/untag')],
  ['delete', 'unregister image', 'DELETE', remote('images/[^/]+')],
  ['create', 'create data source', 'POST', remote('data-sources')],
  ['delete', 'delete data source', 'DELETE', remote('data-sources/[^/]+')],
  ['create', 'store file', 'PUT', remote('job-binary-internals/[^/]+')],
  ['delete', 'delete file', 'DELETE', remote('job-binary-internals/[^/]+')],
  ['create', 'create job binary', 'POST', remote('job-binaries')],
  ['delete', 'delete job binary', 'DELETE', remote('job-binaries/[^/]+')],
  ['create', 'create job', 'POST', remote('jobs')],
  ['delete', 'delete job', 'DELETE', remote('jobs/[^/]+')],
  ['create', 'start run', 'POST', remote('jobs/[^/]+/execute')],
  ['change', 'cancel run', 'GET', remote('job-executions/[^/]+/cancel')],
  ['delete', 'delete run', 'DELETE', remote('job-executions/[^/]+')],
];

const pointsOf = (side: Side, rows: readonly Row[]): readonly Point[] =>
  rows.map(([deed, id, method, path, body]) => ({
    deed,
    id,
    side,
    method,
    path,
    ...(body === undefined ? {} : { body }),
  }));

export const points: readonly Point[] = [...pointsOf('kubernetes', kubernetes), ...pointsOf('service', service)];

/** All that is no look. */
export const isWrite = (method: string, path: string): boolean => method !== 'GET' || path.endsWith('/cancel');

/** Undefined: nobody has listed this write. */
export function pointOf({ side, method, path, body }: Write): Point | undefined {
  return points.find(
    (point) =>
      point.side === side &&
      point.method === method &&
      point.path.test(path) &&
      (point.body?.((body ?? {}) as Body) ?? true),
  );
}
