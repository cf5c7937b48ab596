// The hostile: who writes the ledger annotation of the resource, its status, or the ledger of another resource, to get at somebody's object.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { collectionOf, type Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import {
  type Claim,
  currentClaim,
  type Ledger,
  serialiseLedger,
} from '../../../src/operator/reconcile/ledger/ledger.ts';
import { clusterName, revisionName } from '../../../src/operator/reconcile/ledger/naming.ts';
import type { PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { installation, ledgerOf, resourceOf, tenant } from '../../operator/reconcile/support.ts';
import { isExisting } from './adoption.ts';
import { factsOf, newest, written } from './api-server.ts';
import type { Move } from './moves.ts';
import { ownerOf, stranger } from './service.ts';
import type { Row } from './tables.ts';
import { type Rules, spend, type World } from './world.ts';

/** The uid of the one whose object is coveted; its rows bear it in their ids. */
export const victim = 'victim';

/** None of these was made for the resource. */
export const isOthers = (id: string): boolean => [stranger, victim].includes(ownerOf(id)) || isExisting(id);

const victimName = (kind: Kind): string => {
  const identity = { name: victim, uid: victim, installation };
  return kind.identity === 'content' ? revisionName(identity, 'aaaaaaaa') : clusterName(identity, 0);
};

/** What the victim has in the service. Under a fixed name it was started from a template of its own. */
export function rowsOfVictim(kind: Kind, spec: unknown): readonly Row[] {
  const group = { name: 'worker', count: 2 };
  const { name } = spec as { readonly name?: string };
  if (name === undefined)
    return [{ id: `${victim}-1`, name: victimName(kind), status: 'Active', node_groups: [group] }];
  const template = revisionName({ name, uid: victim, installation }, 'aaaaaaaa');
  return [
    { id: `${victim}-1`, name, status: 'Active', cluster_template_id: `${victim}-2`, node_groups: [group] },
    { id: `${victim}-2`, name: template, status: 'Active', of: 'templates', node_groups: [group] },
  ];
}

/** What the victim has on record. */
function honest(kind: Kind, spec: unknown): Ledger {
  const claims = rowsOfVictim(kind, spec).map(({ id, name, of }): Claim => {
    const template = kind.identity === 'named' ? kind.fixedName.privateTemplate : undefined;
    if (of === undefined || !template) return claimOn(kind, { name, id });
    return { role: 'private', collection: collectionOf(template), name, id, hash: 'aaaaaaaa' };
  });
  return ledgerOf(claims, { uid: victim });
}

const claimOn = (kind: Kind, claim: Pick<Claim, 'name'> & Partial<Claim>): Claim => ({
  role: 'main',
  collection: collectionOf(kind),
  ...claim,
});

/** The victim is alive and claims what it made. */
export function claimantsOf(kind: Kind, spec: unknown): Pick<PassPorts, 'claimants' | 'rivals' | 'holder'> {
  const ledger = honest(kind, spec);
  const alive = resourceOf({
    kind,
    metadata: { name: victim, uid: victim },
    spec,
    ledger,
    status: { ledger: serialiseLedger(ledger) },
  });
  // As the index of claims: under a fixed name the name of the private template stands for that of the object.
  const known = new Set(
    ledger.claims.flatMap(({ id = '', name, role }) =>
      role === 'private' || ledger.claims.length === 1 ? [id, name] : [id],
    ),
  );
  const names = ({ claims }: Pick<Ledger, 'claims'>): boolean =>
    claims.some(({ id, name }) => [id, name].some((one) => one !== undefined && known.has(one)));
  return {
    claimants: (ledger) => (names(ledger) ? [alive] : []),
    rivals: (ledger) => (names(ledger) ? [alive] : []),
    holder: (_resource, ledger) => (names(ledger) ? alive : undefined),
  };
}

/** Somebody older claims whatever is asked for, says to have had it from the uid that made it, and has forged a status that agrees. */
export function rivalClaimants(kind: Kind): Pick<PassPorts, 'claimants' | 'rivals' | 'holder'> {
  const rivalOf = ({ claims }: Pick<Ledger, 'claims'>): readonly RawResource[] => {
    const ledger = ledgerOf(claims, {
      uid: 'rival',
      previousOwners: [
        { uid: 'uid1', installation },
        { uid: 'uid2', installation },
      ],
    });
    const status = { ledger: serialiseLedger(ledger) };
    const metadata = { name: 'rival', uid: 'rival', creationTimestamp: '2020-01-01T00:00:00Z' };
    return [resourceOf({ kind, metadata, ledger, status })];
  };
  return { claimants: rivalOf, rivals: rivalOf, holder: () => undefined };
}

export function forgerMoves(rules: Rules, world: World): readonly Move[] {
  const resource = rules.tables.versions.at(newest(world));
  if (!resource || (world.left.forgeries === 0 && world.left.mirrors === 0)) return [];
  const texts = [...forgeries(rules, world, resource)];
  return [
    ...(world.left.forgeries === 0 ? [] : [...texts, ['no ledger', undefined] as const]).map(([label, text]) =>
      forged(rules, spend(world, 'forgeries'), {
        label: `somebody writes ${label} into the annotation`,
        after: annotated(resource, text),
      }),
    ),
    ...(world.left.mirrors === 0 ? [] : statuses(resource, texts)).map(([label, status]) =>
      forged(rules, spend(world, 'mirrors'), {
        label: `somebody writes ${label} into the status`,
        after: { ...resource, status },
      }),
    ),
  ];
}

function forged(
  rules: Rules,
  world: World,
  { label, after }: { readonly label: string; readonly after: RawResource },
): Move {
  return { label, world: { ...written(rules, world, after), forged: true } };
}

function annotated(resource: RawResource, text: string | undefined): RawResource {
  const { annotations = {}, ...metadata } = resource.metadata;
  const { [ledgerAnnotation]: _before, ...others } = annotations;
  const after = text === undefined ? others : { ...others, [ledgerAnnotation]: text };
  return { ...resource, metadata: { ...metadata, annotations: after } };
}

/** Each of these copies of a ledger, and that all is as the spec asks. */
function statuses(
  { metadata: { generation }, status }: RawResource,
  copies: readonly (readonly [string, string])[],
): readonly (readonly [string, object])[] {
  const before = status as object;
  const conditions = ['Ready', 'Synced'].map((type) => ({
    type,
    status: 'True',
    reason: 'Available',
    message: '',
    observedGeneration: generation,
    lastTransitionTime: '2020-01-01T00:00:00Z',
  }));
  return [
    ...copies.map(([label, ledger]) => [label, { ...before, ledger }] as const),
    ['that all is as it should be', { ...before, observedGeneration: generation, conditions }],
  ];
}

const unsent = { generation: 1, target: { worker: 9 }, sentAt: '', tries: 1 };

/** Ledgers that would give the resource a right to the object of the victim, if they were believed. */
function* forgeries(
  rules: Rules,
  world: World,
  { metadata: { uid } }: RawResource,
): Iterable<readonly [string, string]> {
  const { kind } = rules;
  const facts = factsOf(rules, newest(world));
  const known = facts?.ledger.state === 'ours' ? facts.ledger.ledger : undefined;
  const [theirs] = rowsOfVictim(kind, facts?.resource.spec);
  const { id = '', name = '' } = theirs ?? {};
  const own = currentClaim(known);
  const text = (claims: readonly Claim[], changes: Partial<Ledger> = {}): string =>
    serialiseLedger({ ...(known ?? ledgerOf([], { uid, tenant })), ...changes, claims: [...claims] });
  if (own) yield ['the id of another', text([{ ...own, id }])];
  if (own && kind.identity === 'named') yield ['a change that nobody sent', text([own], { change: unsent })];
  yield ['id and name of another', text([claimOn(kind, { id, name })])];
  yield [
    'the name of another, with an open create',
    text([claimOn(kind, { name, attempts: { open: 1, lastSentAt: '' } })]),
  ];
  const previousOwners = [{ uid: victim, installation }];
  const revision = { ...claimOn(kind, { id, name }), role: 'revision', hash: 'aaaaaaaa' } as const;
  yield ['a claim as if it were restored', text([claimOn(kind, { id, name })], { previousOwners })];
  yield ['an old revision as if it were restored', text([...(own ? [own] : []), revision], { previousOwners })];
  yield ['a copy of the ledger of another', serialiseLedger(honest(kind, facts?.resource.spec))];
  yield* privately(rules, { own, text, id, previousOwners, theirs: rowsOfVictim(kind, facts?.resource.spec)[1] });
}

interface Coveted {
  readonly own: Claim | undefined;
  readonly text: (claims: readonly Claim[], changes?: Partial<Ledger>) => string;
  readonly id: string;
  readonly previousOwners: Ledger['previousOwners'];
  readonly theirs: Row | undefined;
}

/** Under a fixed name the private template is what counts. */
function* privately(
  { kind }: Rules,
  { own, text, id, previousOwners, theirs }: Coveted,
): Iterable<readonly [string, string]> {
  const template = kind.identity === 'named' ? kind.fixedName.privateTemplate : undefined;
  if (!template || !own) return;
  const identity = { name: 'etl', uid: 'uid1', installation };
  const claim: Claim = {
    role: 'private',
    collection: collectionOf(template),
    name: revisionName(identity, 'aaaaaaaa'),
    id: `${victim}-2`,
    hash: 'aaaaaaaa',
  };
  yield ['the private template of another', text([{ ...own, id }, claim])];
  if (!theirs) return;
  const restored = { ...claim, name: theirs.name };
  yield [
    'the private template of another as if it were restored',
    text([{ ...own, id }, restored], { previousOwners }),
  ];
}
