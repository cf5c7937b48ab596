// Which plans statuses have shown, which of them their users have approved, and which were carried out.
import { isDeepStrictEqual } from 'node:util';
import { approvePlanAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { canonicalJson } from '../../../src/operator/reconcile/ledger/naming.ts';
import type { PlannedWrite } from '../../../src/operator/reconcile/outcome.ts';
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import type { ClusterScale } from '../../../src/wire/cluster.ts';
import type { Change } from '../api/api-server.ts';
import type { Stored } from '../api/fields.ts';
import type { Sent } from '../service/service-way.ts';
import type { Facts } from './facts.ts';
import { targetOf } from './happening.ts';

/** A plan as it was first shown. `approved`: at some time. `doneAt`: when the ledger recorded that it was carried out. */
interface Shown {
  readonly plan: PlannedWrite;
  approved: boolean;
  doneAt?: number;
}

export const planIn = (object: Stored | undefined): PlannedWrite | undefined =>
  (object?.status as { readonly plan?: PlannedWrite } | undefined)?.plan;

export const approvedIn = ({ metadata: { annotations } }: Stored): string | undefined =>
  annotations?.[approvePlanAnnotation];

export class Approvals {
  /** By uid, in the order in which they were shown. */
  readonly #shown = new Map<string, Shown[]>();

  changed(facts: Facts, { object, before, type }: Change): void {
    const { uid } = object.metadata;
    if (type === 'DELETED') return void this.#shown.delete(uid);
    const plan = planIn(object);
    const all = this.#shown.get(uid) ?? [];
    if (plan !== undefined && !all.some((one) => one.plan.hash === plan.hash)) all.push({ plan, approved: false });
    if (all.length > 0) this.#shown.set(uid, all);
    for (const one of all) {
      if (one.plan.hash === approvedIn(object)) one.approved = true;
      if (isCarriedOut(facts, one.plan, [facts.ledgerOf(before), facts.ledgerOf(object)]))
        one.doneAt ??= facts.options.now();
    }
  }

  /** The hash of the first one that its status has ever shown. */
  firstOf({ metadata: { uid } }: Stored): string | undefined {
    return this.#shown.get(uid)?.[0]?.plan.hash;
  }

  /** Its user has approved just this request, and it was not carried out before, as far as everybody knows. */
  allow(facts: Facts, { metadata: { uid } }: Stored, sent: Sent): boolean {
    const { now, behindMs } = facts.options;
    return (this.#shown.get(uid) ?? []).some(
      ({ plan, approved, doneAt = Number.POSITIVE_INFINITY }) =>
        approved && doneAt >= now() - behindMs() && tells(facts, plan, sent),
    );
  }
}

type Ledgers = readonly [was: Ledger | undefined, is: Ledger | undefined];

function isCarriedOut(facts: Facts, { verb, object }: PlannedWrite, [was, is]: Ledgers): boolean {
  if (verb === 'Create') {
    const idIn = (ledger: Ledger | undefined) => ledger?.claims.find(({ name }) => object.endsWith(` ${name}`))?.id;
    return idIn(was) === undefined && idIn(is) !== undefined;
  }
  if (verb !== 'Scale' || was?.change === undefined || is?.change !== undefined) return false;
  const row = facts.rows().find(({ record }) => object.endsWith(`(${record.id})`));
  const { node_groups: groups = [] } = (row?.record ?? {}) as Partial<ClusterRecord>;
  const counts = new Map(groups.map(({ name, count }) => [name, count]));
  return Object.entries(was.change.target).every(([name, count]) => (counts.get(name) ?? 0) === count);
}

/** The request is the one that the plan shows. */
function tells(facts: Facts, { verb, object, changes = [] }: PlannedWrite, sent: Sent): boolean {
  const { method, id = '', operation, name = '' } = targetOf(sent);
  const body: unknown = JSON.parse(sent.request.body ?? '{}');
  switch (method) {
    case 'POST':
      if (operation === 'execute') return verb === 'Create' && canonicalJson(changes).includes(name);
      return verb === 'Create' && isDeepStrictEqual(textsOf(body as object), Object.fromEntries(changes.map(toOf)));
    case 'PUT':
      return (
        verb === 'Scale' &&
        object.endsWith(`(${id})`) &&
        isDeepStrictEqual(countsOf(body as ClusterScale), Object.fromEntries(changes.map(toOf)))
      );
    case 'DELETE':
      return verb === 'Delete' && [id, facts.nameOf(id)].some((word) => word !== undefined && object.includes(word));
    default:
      return verb === 'Cancel' && object.endsWith(`(${id})`);
  }
}

const toOf = ({ path, to }: { readonly path: string; readonly to?: string }): [string, string | undefined] => [
  path,
  to,
];

const textsOf = (body: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === 'string' ? value : canonicalJson(value)]),
  );

const countsOf = ({ resize_node_groups: resized = [], add_node_groups: added = [] }: ClusterScale) =>
  Object.fromEntries([...resized, ...added].map(({ name, count }) => [`spec.nodeGroups[${name}].count`, `${count}`]));
