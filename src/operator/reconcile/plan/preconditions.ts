// Why a resource cannot be worked on now: its ledger, its spec, its Connection, its references; each with the remedy.
//
// A ledger that was written for another object is that of a restored backup, or of a copy of its YAML:
//
//  deleting?  another resource claims it   all namespaces seen, or vouched for   plan
//  no         yes                          any                                   refuse OwnershipUnconfirmed: a copy
//  no         no                           no                                    refuse OwnershipUnconfirmed: say how to vouch
//  yes        yes                          any                                   release, nothing deleted
//  yes        no                           no                                    release, nothing deleted
//  any        no                           yes                                   own it: names and ids stay
//
// Through a SharedConnection that lets no namespace take what exists, nothing vouches for it: it is refused, or released as a copy, and waits while the
// SharedConnection is not known.
//
// A resource whose Connection leads elsewhere than its ledger waits until it leads there again: others that use that Connection claim
// nothing there meanwhile, so a copy cannot be told from a restored object.
import { ledgerAnnotation, sharedConnectionKind, takeOverAnnotation } from '../../api/shared-api.ts';
import type { Kind, ResourceReference } from '../kind/kind.ts';
import { type Claim, currentClaim, isMadeAt, isVoid, type Ledger } from '../ledger/ledger.ts';
import { passedOn } from '../ledger/name-origin.ts';
import { canonicalJson, digest } from '../ledger/naming.ts';
import { type Blocker, type Outcome, refuse, shortText, waiting, wayOut } from '../outcome.ts';
import { type Key, nameText, type ServiceLookup } from '../pass-ports.ts';
import type { PlanInput } from '../plan-input.ts';
import type { Resolution } from '../resource/references.ts';
import { correctionText } from '../resource/scheduled.ts';
import { type Plan, release, takeOver } from './next-step.ts';

/** Its ledger forbids anything. */
export function ledgerPrecondition({ facts, kind }: PlanInput): Outcome | undefined {
  if (facts.ledger.state !== 'unconfirmed') return undefined;
  return refuse('OwnershipUnconfirmed', ownershipMessage(facts.ledger, removal({ facts, kind })));
}

/** Its spec forbids it. */
export function specPrecondition({ facts, kind, service, ledger }: PlanInput): Outcome | undefined {
  if (!facts.spec.ok) return refuse('InvalidSpec', facts.spec.message);
  const wrong = service.state === 'usable' ? kind.check(facts.spec.value, service.dialect) : undefined;
  // Of a run, neither the spec nor the dialect can change.
  if (wrong) return refuseContent({ facts, kind }, wrong, 0);
  const edited = editedConfig(kind, facts.spec.value, ledger);
  return edited === undefined ? undefined : refuse('InvalidSpec', edited);
}

/** `failsAfterMs`: of a run, whose remedy is another one. */
export function refuseContent(
  { facts, kind }: Pick<PlanInput, 'facts' | 'kind'>,
  wrong: string,
  failsAfterMs: number,
): Outcome {
  if (kind.identity !== 'once') return refuse('InvalidSpec', wrong);
  return { ...refuse('InvalidSpec', `${wrong}. ${correctionText(facts.resource)}`), failsAfterMs };
}

function ownershipMessage(
  { why, installation }: { readonly why: string; readonly installation?: string },
  removing: string,
): string {
  const takeOver =
    installation === undefined
      ? ''
      : `. To take over the objects that it names, set the annotation ${takeOverAnnotation}: ${installation}`;
  return (
    `the annotation ${ledgerAnnotation} cannot be used: ${why}. ${safe}. It continues when the annotation is restored, for example from a backup. ` +
    `To create a new object in the service, ${removing}${takeOver}. ` +
    'Deleting this resource leaves the objects that the annotation names'
  );
}

const safe =
  'What is in the service is safe: the operator changes and deletes nothing there for this resource, and creates nothing';

/** How to take the ledger's annotation off. */
function removal({ facts: { key }, kind }: Pick<PlanInput, 'facts' | 'kind'>): string {
  const { shortName } = kind.definition;
  return `remove the annotation: kubectl annotate ${shortName} ${key.name} -n ${key.namespace} ${ledgerAnnotation}-`;
}

/** A claim that the operator never wrote for this resource. */
export function foreignText({ collection, name }: Claim): string {
  return `the annotation ${ledgerAnnotation} claims ${collection} ${shortText(name)}, which was not created for this resource`;
}

function foreignMessage(claim: Claim, removing: string): string {
  const { origin, id } = claim;
  const remedy =
    origin === 'adopted' && id !== undefined
      ? `It can only have been adopted. If it was, set spec.adopt.id: ${shortText(id)} again`
      : `To return to the objects that were created for it, ${removing}`;
  return `${foreignText(claim)}. ${safe}. ${remedy}. Deleting this resource leaves the objects of others`;
}

/** The service cannot be used for this resource. */
export function connectionPrecondition(input: PlanInput): Outcome | undefined {
  const { service, ledger, claimedBy, facts } = input;
  if (service.state !== 'usable') return unusable(input, service);
  const moved = ledger && pinsDiffer(ledger, service, facts.connection);
  if (moved) return refuse('ConnectionChanged', moved);
  if (claimedBy) return refuse('DuplicateClaim', duplicateMessage(input, claimedBy));
  const [foreign] = facts.foreign;
  if (foreign) return refuse('OwnershipUnconfirmed', foreignMessage(foreign, removal(input)));
  return undefined;
}

/** Clusters need no registration of their own: the id of the image is enough. But the image of a Cluster never changes. */
function duplicateMessage({ kind, facts }: PlanInput, claimedBy: string): string {
  const id = kind.route === 'images' ? facts.givenId : undefined;
  const what = id === undefined ? 'the same object of the service belongs to' : `image ${id} is registered by`;
  const why = `${what} ${claimedBy}, which claimed it first. The operator writes nothing there for this resource`;
  if (id === undefined) return `${why}. Delete this resource, which leaves that object alone`;
  const clusters = `Clusters can use the image with defaultImageID: ${id} instead of imageRef. Delete those that wait for this resource, and apply them again with that`;
  return `${why}. Delete this resource, which leaves the registration alone. ${clusters}`;
}

/** A resource with an object cannot be observed; one without waits for the Connection. */
function unusable(input: PlanInput, service: Exclude<ServiceLookup, { readonly state: 'usable' }>): Outcome {
  const { message } = service;
  if (service.state === 'notAllowed') return refuse('ConnectionNotAllowed', message);
  const { kind, name } = input.facts.connection;
  const blockedOn = [{ kind, name, reason: 'DependencyNotReady', message } as const];
  const reason = service.credentials ? 'CredentialsMissing' : 'DependencyNotReady';
  if (currentClaim(input.ledger)?.id === undefined) return waiting('kubernetes', reason, message, blockedOn);
  return { result: 'failed', reason, message, observing: true, blockedOn, cause: undefined };
}

/** Why the Connection does not lead to where the object was made; undefined when it does. */
export function pinsDiffer(
  ledger: Ledger,
  service: { readonly endpoints: readonly string[]; readonly endpoint: string; readonly tenant: string },
  connection: Key,
): string | undefined {
  if (isMadeAt(ledger, service)) return undefined;
  const isShared = connection.kind === sharedConnectionKind;
  const [restore, its] = isShared
    ? ['Ask the administrator of the cluster to restore', nameText(connection)]
    : ['Restore', 'the Connection'];
  const pause = 'The operator sends no requests for it';
  if (ledger.tenant !== service.tenant) {
    return `this resource belongs to tenant ${ledger.tenant}, but its Connection leads to tenant ${service.tenant}. ${pause}. ${restore} the tenant, in spec.tenantID of ${its} or with credentials of that project`;
  }
  return `this resource belongs to the service at ${ledger.endpoint}, but its Connection points to ${service.endpoint}. ${pause}. ${restore} the old endpoint, or add it to spec.formerEndpoints of ${its} if the service moved`;
}

function configDigest(value: unknown): string {
  return value === undefined ? '-' : digest(canonicalJson(value), 8);
}

/** Digests of the fixed config maps of a spec, by path, as the ledger keeps them. */
export function configDigests(kind: Kind, spec: Record<string, unknown>): Record<string, string> | undefined {
  if (kind.identity !== 'named') return undefined;
  const configs = Object.entries(kind.fixedConfigs.of(spec));
  return Object.fromEntries(configs.map(([path, value]) => [path, configDigest(value)]));
}

/** Names the first config map that differs from what was, or may have been, sent. */
function editedConfig(kind: Kind, spec: Record<string, unknown>, ledger: Ledger | undefined): string | undefined {
  const claim = currentClaim(ledger);
  const recorded = ledger?.configs;
  if (kind.identity !== 'named' || !recorded || !claim || isVoid(claim)) return undefined;
  const edited = Object.entries(configDigests(kind, spec) ?? {}).find(([path, now]) => {
    const before = recorded[path];
    return before !== undefined && before !== now;
  });
  return edited && `spec.${edited[0]} is immutable; restore it, or ${kind.fixedConfigs.remedy}`;
}

/** A corrected Job that was applied together with the run arrives within this time, in ms. */
export const correctionMs = 5_000;

/** How often to look whether a ConfigMap was read, in ms. */
const readingMs = 2_000;

/** The outcome for references that cannot be used; undefined when all of `needed` can. */
export function referencePrecondition(
  resolutions: readonly Resolution[],
  needed: readonly ResourceReference[],
): Outcome | undefined {
  const open = resolutions
    .filter((one) => one.state !== 'resolved')
    .filter(({ reference: { kind, name } }) => needed.some((other) => other.kind === kind && other.name === name));
  const wrong = open.find((one) => one.state === 'wrong');
  if (wrong)
    return {
      ...refuse(wrong.reason ?? 'InvalidSpec', wrong.message),
      ...(wrong.owned && wrong.reason === undefined && { failsAfterMs: correctionMs }),
    };
  if (open.length === 0) return undefined;
  // Its arrival wakes the key.
  if (open.every((one) => one.state === 'awaited' && one.soon)) return { result: 'requeue', afterMs: readingMs };
  const blockedOn = open.map(
    ({ reference: { kind, name }, message }): Blocker => ({ kind, name, reason: 'DependencyNotReady', message }),
  );
  const message = blockedOn.map((one) => one.message).join('; ');
  // Only runs refer to clusters.
  const reason = open.every(({ reference }) => reference.kind === 'Cluster')
    ? 'WaitingForCluster'
    : 'DependencyNotReady';
  const times = open.flatMap((one) => (one.state === 'awaited' && one.afterMs !== undefined ? [one.afterMs] : []));
  return {
    ...waiting('kubernetes', reason, message, blockedOn),
    ...(times.length > 0 && { afterMs: Math.min(...times) }),
  };
}

interface Moved {
  readonly ledger: Ledger;
  /** The user vouches that nobody else owns what it names. */
  readonly vouched: boolean;
}

export function planForeignLedger(input: PlanInput, moved: Moved): Plan {
  const { facts, installation, service } = input;
  const unread = unverified(input);
  if (unread) return { action: 'none', outcome: unread };
  const why = doubt(input, moved);
  const elsewhere =
    service.state === 'usable' && !facts.deleting ? pinsDiffer(moved.ledger, service, facts.connection) : undefined;
  if (why === undefined && elsewhere !== undefined)
    return { action: 'none', outcome: refuse('ConnectionChanged', elsewhere) };
  if (why === undefined) {
    const { uid } = facts.resource.metadata;
    return takeOver(passedOn(moved.ledger, { uid, installation }));
  }
  if (facts.deleting) return release('Released', `released without deleting anything: ${why}`);
  return { action: 'none', outcome: refuse('OwnershipUnconfirmed', `${why}. ${remedy(input)}`) };
}

/** Whether the resource may take it over cannot be told before its SharedConnection can be used. */
function unverified(input: PlanInput): Outcome | undefined {
  const { facts, service, claimedBy } = input;
  if (facts.alleged.length === 0 || claimedBy !== undefined || service.state === 'usable') return undefined;
  const leaves = facts.deletionPolicy === 'Orphan' || facts.policy === 'Observe';
  if (facts.deleting && leaves) return undefined;
  return unusable(input, facts.deleting ? { ...service, message: `${service.message}. ${wayOut}` } : service);
}

/** Why it may belong to somebody else. */
function doubt({ claimedBy, seesAll, kind, facts }: PlanInput, { vouched }: Moved): string | undefined {
  if (claimedBy !== undefined)
    return `this resource is a copy: the objects that its annotation ${ledgerAnnotation} names belong to ${claimedBy}, which keeps them`;
  const { key, connection, alleged } = facts;
  if (alleged.length > 0)
    return `the annotation ${ledgerAnnotation} was written for another ${key.kind}, which may have been in another namespace than ${key.namespace}: ${nameText(connection)} does not let namespaces take what exists in the service`;
  const [foreign] = facts.foreign;
  if (foreign) return foreignText(foreign);
  if (seesAll || vouched) return undefined;
  return `the annotation ${ledgerAnnotation} was written for another ${kind.definition.kind}, which may exist in a namespace that is not watched`;
}

function remedy(input: PlanInput): string {
  const { claimedBy, installation, facts } = input;
  const renew = `to create a new object in the service, ${removal(input)}`;
  if (claimedBy !== undefined) return `Delete this copy, which leaves those objects. Or, ${renew}`;
  if (facts.alleged.length > 0)
    return `${safe}. If this resource was restored, ask the administrator of the cluster to set spec.allowAdopt of ${nameText(facts.connection)} until it has its object again. Otherwise, ${renew}`;
  // Nobody can vouch for what was never made for any owner of the ledger.
  if (facts.foreign.length > 0) return `T${renew.slice(1)}`;
  return `${safe}. If the original is gone, set the annotation ${takeOverAnnotation}: ${installation} to take over its object. Otherwise, ${renew}`;
}
