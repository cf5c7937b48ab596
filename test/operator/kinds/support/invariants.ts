// What must hold at every moment of every test (the invariants of docs/concepts/protocol.md and the rules of docs/concepts/status.md).
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { finalizer, ledgerAnnotation, recreateAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { isOwnName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { executionMarker } from '../../../../src/wire/jobs.ts';
import type { Sent } from '../../../support/service/service-proxy.ts';

export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

export interface ShownStatus {
  readonly nodeGroups?: readonly { readonly scaledBy?: string }[];
  readonly observedGeneration?: number;
  readonly conditions?: readonly ShownCondition[];
  readonly id?: string;
  readonly externalName?: string;
  readonly externalStatus?: string;
  readonly blockedOn?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly reason: string;
    readonly message: string;
  }[];
  readonly [field: string]: unknown;
}

export interface ShownClaim {
  readonly role?: string;
  readonly hash?: string;
  readonly collection: string;
  readonly name: string;
  readonly id?: string;
  readonly attempts?: { readonly open: number; readonly lastSentAt: string };
}

export interface ShownLedger {
  readonly claims: readonly ShownClaim[];
  readonly change?: {
    readonly generation: number;
    readonly target: Readonly<Record<string, number>>;
    readonly tries: number;
  };
  readonly madeFrom?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export const statusOf = (resource: RawResource | undefined): ShownStatus => (resource?.status ?? {}) as ShownStatus;

/** The annotation as JSON; undefined when there is none that can be read. */
export function ledgerOf(resource: RawResource | undefined): ShownLedger | undefined {
  const text = resource?.metadata.annotations?.[ledgerAnnotation];
  try {
    return text === undefined ? undefined : (JSON.parse(text) as ShownLedger);
  } catch {
    return undefined;
  }
}

const held = (resource: RawResource): boolean => resource.metadata.finalizers?.includes(finalizer) ?? false;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly cluster_template_id?: string | undefined;
}

/** The bytes of job binaries. */
const files = 'job-binary-internals';

/** The start of a run creates a row, whose marker takes the place of a name. Bytes are put under the name of their row. */
export function asCreate(sent: Sent): Sent {
  if (sent.method === 'PUT' && sent.collection === files)
    return { ...sent, method: 'POST', id: undefined, body: { name: sent.id } };
  if (sent.action !== 'execute') return sent;
  const { job_configs: how } = sent.body as {
    readonly job_configs: { readonly configs: Readonly<Record<string, string>> };
  };
  const { action: _execute, id: _job, ...rest } = sent;
  const body = { name: how.configs[executionMarker] };
  return { ...rest, id: undefined, action: undefined, collection: 'job-executions', body };
}

/** What is wrong with a write that is on its way to the service, given the resources as the API server has them now. */
export function judgeWrite(
  sent: Sent,
  at: {
    readonly resources: readonly RawResource[];
    readonly rows: readonly Row[];
    /** Whatever in the service may refer to such an object. */
    readonly users: readonly Row[];
    readonly installation: string;
  },
): string | undefined {
  switch (sent.method) {
    case 'POST':
      return isRecorded(sent, at.resources) ? judgeChange(sent, at.resources) : judgePost(sent, at.resources);
    case 'PUT':
      return judgeChange(sent, at.resources);
    case 'DELETE':
      return judgeDelete(sent, at);
    default:
      return undefined;
  }
}

const claims = (resource: RawResource): readonly ShownClaim[] => ledgerOf(resource)?.claims ?? [];

/** A POST to an object whose id is on record changes it. */
function isRecorded({ id, action }: Sent, resources: readonly RawResource[]): boolean {
  return action !== undefined || (id !== undefined && resources.some((one) => hasClaim(one, id)));
}

const hasClaim = (resource: RawResource, id: string | undefined): boolean =>
  claims(resource).some((claim) => claim.id === id);

function judgeChange({ method, id }: Sent, resources: readonly RawResource[]): string | undefined {
  const intended = resources.some((one) => ledgerOf(one)?.change && hasClaim(one, id) && held(one));
  return intended ? undefined : `${method} of ${id} without a durable intent`;
}

function judgePost({ collection, id, body }: Sent, resources: readonly RawResource[]): string | undefined {
  const name = id ?? (body as Row).name;
  const claimOf = (one: RawResource) =>
    claims(one).find((claim) => claim.name === name && claim.collection === collection);
  const owners = resources.filter((one) => claimOf(one) !== undefined);
  // Several may claim an image: all but one of them have closed their attempt again.
  const owner = owners.find((one) => (claimOf(one)?.attempts?.open ?? 0) > 0) ?? owners[0];
  if (!owner) return `POST of ${name} without a claim in any ledger`;
  const claim = claimOf(owner);
  if ((claim?.attempts?.open ?? 0) < 1) return `POST of ${name} without an open attempt`;
  if (owner.metadata.deletionTimestamp) return `POST of ${name} for a resource that is being deleted`;
  return held(owner) ? undefined : `POST of ${name} before the finalizer`;
}

/** With the annotation lost, its copy in the status counts. */
function mirrored(resource: RawResource): RawResource {
  const { ledger } = statusOf(resource);
  if (resource.metadata.annotations?.[ledgerAnnotation] !== undefined || typeof ledger !== 'string') return resource;
  return { ...resource, metadata: { ...resource.metadata, annotations: { [ledgerAnnotation]: ledger } } };
}

function judgeDelete(
  { id, url }: Sent,
  { resources, rows, users, installation }: Parameters<typeof judgeWrite>[1],
): string | undefined {
  if (id === undefined) return `DELETE without an id: ${url}`;
  const row = rows.find((one) => one.id === id);
  // Under a fixed name the template tells whose it is.
  const telling = [row, users.find((one) => one.id === row?.cluster_template_id)].flatMap((one) => one ?? []);
  const owner = resources.find((one) => {
    const { uid, name } = one.metadata;
    const named = telling.some((other) => isOwnName(other.name, { uid, name, installation }));
    return hasClaim(one, id) || hasClaim(mirrored(one), id) || named;
  });
  if (!owner) return `DELETE of ${id}, which no resource claims`;
  if (!held(owner)) return `DELETE of ${id} without our finalizer`;
  const isFile = claims(owner).some(
    (claim) => claim.id === id && claim.role === 'private' && claim.collection === files,
  );
  if (isFile)
    return users.some((user) => JSON.stringify(user).includes(id))
      ? `DELETE of ${id}, which is referred to`
      : undefined;
  const spare = claims(owner).some((claim) => claim.id !== id && claim.name === row?.name);
  const unwanted = owner.metadata.annotations?.[recreateAnnotation] === id;
  const former = claims(owner).some((claim) => claim.role === 'main' && claim.id !== id && claim.name !== row?.name);
  if (owner.metadata.deletionTimestamp) return undefined;
  if (former && users.some((user) => JSON.stringify(user).includes(id))) return `DELETE of ${id}, which is referred to`;
  return spare || former || unwanted ? undefined : `DELETE of ${id}, whose resource lives`;
}

/** What is wrong with a status, alone and beside the one before it. */
export function judgeStatus(now: RawResource, before: RawResource | undefined): readonly string[] {
  const { conditions = [], observedGeneration = -1 } = statusOf(now);
  // The default, which the operator has not replaced yet.
  if (observedGeneration === -1 && conditions.every((one) => one.observedGeneration === -1)) return [];
  if (conditions.length === 0) return ['observedGeneration without conditions'];
  const of = (type: string) => conditions.find((one) => one.type === type);
  const problems = [
    ...(new Set(conditions.map((one) => one.type)).size === conditions.length ? [] : ['a condition is there twice']),
    ...(of('Ready') ? [] : ['Ready is missing']),
    ...(of('Synced') ? [] : ['Synced is missing']),
    ...(of('Reconciling') && of('Stalled') ? ['both Reconciling and Stalled'] : []),
    ...(of('Synced')?.status === 'False' && of('Ready')?.status === 'True' ? ['Ready in spite of Synced=False'] : []),
    ...(observedGeneration > now.metadata.generation ? ['observedGeneration of the future'] : []),
  ];
  for (const one of conditions) {
    if (one.observedGeneration !== observedGeneration) problems.push(`${one.type} is of another generation`);
    if ((one.type === 'Reconciling' || one.type === 'Stalled') && one.status !== 'True')
      problems.push(`${one.type} is there and not True`);
    if (one.message.includes('Error ID')) problems.push(`${one.type} shows an error id`);
  }
  return [...problems, ...(before ? judgeStep(statusOf(before), { conditions, observedGeneration }) : [])];
}

function judgeStep(
  before: ShownStatus,
  now: { readonly conditions: readonly ShownCondition[]; readonly observedGeneration: number },
): readonly string[] {
  const problems = (before.observedGeneration ?? -1) > now.observedGeneration ? ['observedGeneration went back'] : [];
  // The time of a condition that nobody has written yet is none.
  const written = before.conditions?.filter((one) => one.observedGeneration !== -1) ?? [];
  const moved = now.conditions.filter((one) => {
    const old = written.find((other) => other.type === one.type);
    return old !== undefined && (old.status === one.status) !== (old.lastTransitionTime === one.lastTransitionTime);
  });
  // Two flips within a second have one time: only a move without a flip is wrong for sure.
  const unflipped = moved.filter((one) => written.some((old) => old.type === one.type && old.status === one.status));
  return [...problems, ...unflipped.map((one) => `lastTransitionTime of ${one.type} moved without a flip`)];
}

/** What is wrong with a resource and its objects in the service. */
export function judgeObjects(
  resource: RawResource | undefined,
  { own, mayLeave, most }: { readonly own: readonly Row[]; readonly mayLeave: boolean; readonly most: number },
): readonly string[] {
  const many = own.length > most ? [`${own.length} objects in the service`] : [];
  const left =
    own.length > 0 && !mayLeave && (!resource || !held(resource)) ? ['released with its object still there'] : [];
  return [...many, ...left];
}
