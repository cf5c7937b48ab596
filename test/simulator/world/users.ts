// What users do with objects of the API server as the plan says, in order for each object.
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { collectionPath, objectPath } from '../../../src/kube/resource.ts';
import {
  apiVersion,
  approvePlanAnnotation,
  ledgerAnnotation,
  reconcileAnnotations,
  recreateAnnotation,
} from '../../../src/operator/api/shared-api.ts';
import type { Stored } from '../api/fields.ts';
import { planIn } from '../judge/approvals.ts';
import { templateGroups } from '../plan/life.ts';
import { credentials, elsewhere, placeOf, type UserDeed } from '../plan/plan.ts';
import { backupOf, copyOf, isWhole, mainId } from './backup.ts';
import type { World } from './world.ts';

/** Until somebody who waits looks again. */
const patienceMs = 1_000;

/** A resource of the workload that a pass was logged for. */
export const keyOf = (kind: string, name: string): string => `${kind}/${name}`;

const kindNamed = (kind: string) => {
  const isBuiltIn = kind === 'Secret' || kind === 'Namespace';
  return { kind, apiVersion: isBuiltIn ? 'v1' : apiVersion, plural: placeOf(kind).plural };
};

export class Users {
  /** What they still have to do, by object. */
  readonly awaited = new Map<string, readonly UserDeed[]>();
  /** The specs of what they have resumed in order to restore it as it was. */
  readonly #toRestore = new Map<string, unknown>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Before anything else. */
  bringToken(token: string): void {
    this.#create('Secret', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, ...credentials(token) });
  }

  /** What they do with one object they do in order: who makes it anew waits until the old one is gone. */
  act(deed: UserDeed): void {
    const key = keyOf(deed.kind, deed.name);
    const waiting = this.awaited.get(key) ?? [];
    this.awaited.set(key, [...waiting, deed]);
    if (waiting.length === 0) this.#actInOrder(key);
  }

  #actInOrder(key: string): void {
    for (;;) {
      const [deed, ...others] = this.awaited.get(key) ?? [];
      if (deed === undefined) break;
      const old = this.#find(deed);
      const early = mustWait(deed, old) || this.#isToCome(deed);
      const forgone = early && others.some((other) => comesFirst(other, deed));
      if (early && !forgone) return this.#wait(key, deed, others, old);
      if (!forgone) this.#actNow(deed, old);
      this.#toRestore.delete(key);
      this.awaited.set(key, others);
    }
    this.awaited.delete(key);
  }

  /** The operator makes nothing for what is suspended: it is resumed while its user waits, or both would wait for ever. */
  #wait(key: string, deed: UserDeed, others: readonly UserDeed[], old: Stored | undefined): void {
    const isLeaving = old?.metadata.deletionTimestamp !== undefined;
    const resuming = suspendIn(old) === true && !isLeaving ? editsToResume(others) : [];
    for (const edit of resuming) this.#actNow(edit, old);
    // Who restores it undoes these edits, and makes them again.
    if (deed.does !== 'restore') this.awaited.set(key, [deed, ...others.filter((other) => !resuming.includes(other))]);
    else if (resuming.length > 0) this.#toRestore.set(key, old?.spec);
    this.#world.scheduler.after(patienceMs, () => this.#actInOrder(key), true);
  }

  /** It is deleted when it is there: the copy that it will be waits for what it is a copy of. */
  #isToCome({ does, kind, name }: UserDeed): boolean {
    const others = [...this.awaited.values()].flat();
    return does === 'delete' && others.some((one) => one.does === 'copy' && one.kind === kind && one.to === name);
  }

  #find({ kind, name }: Pick<UserDeed, 'kind' | 'name'>): Stored | undefined {
    const { plural, namespace } = placeOf(kind);
    return this.#world.server.get(plural, namespace, name);
  }

  #actNow(deed: UserDeed, old: Stored | undefined): void {
    const there = old?.metadata.deletionTimestamp === undefined ? old : undefined;
    switch (deed.does) {
      case 'apply':
        return this.#apply(deed);
      case 'edit':
        return this.#patch(deed, withinTemplate(contentOf(deed), old));
      case 'delete':
        return void this.#user({ method: 'DELETE', path: pathOf(deed) });
      case 'poke':
        return this.annotate(deed, reconcileAnnotations[0], `${this.#world.scheduler.now}`);
      case 'annotate':
        return this.annotate(deed, deed.annotation, deed.value);
      case 'approve':
        return there && this.#approve(deed, there);
      default:
        if (there !== undefined) this.#actOnWhole(deed, there);
    }
  }

  #approve(deed: Extract<UserDeed, { readonly does: 'approve' }>, old: Stored): void {
    const waits = planIn(old)?.hash;
    const hash = deed.which === 'waits' ? waits : this.#world.facts.approvals.firstOf(old);
    if (hash === undefined) return;
    this.#world.hit(hash === waits ? 'a plan is approved' : 'another plan is approved than waits');
    this.annotate(deed, approvePlanAnnotation, hash);
  }

  /** What can be done only with an object that has something in the service. */
  #actOnWhole(
    deed: Extract<UserDeed, { readonly does: 'recreate' | 'lose ledger' | 'restore' | 'copy' }>,
    old: Stored,
  ): void {
    this.#world.hit(deed.does === 'restore' ? `restore from ${deed.from}` : deed.does);
    switch (deed.does) {
      case 'recreate':
        return this.annotate(deed, recreateAnnotation, mainId(old) ?? null);
      case 'lose ledger':
        return this.annotate(deed, ledgerAnnotation, null);
      case 'copy':
        return void this.#create(deed.kind, copyOf(old, deed.to));
      case 'restore': {
        const backup = { ...old, spec: this.#toRestore.get(keyOf(deed.kind, deed.name)) ?? old.spec };
        return this.#world.facts.ownership.replacing(old.metadata.uid, () => {
          this.#patch(deed, { metadata: { finalizers: null } });
          this.#user({ method: 'DELETE', path: pathOf(deed) });
          this.#create(deed.kind, backupOf(backup, deed.from === 'elsewhere' ? elsewhere : undefined));
        });
      }
    }
  }

  #apply(deed: Extract<UserDeed, { readonly does: 'apply' }>): void {
    const { apiVersion: version } = kindNamed(deed.kind);
    const body = { apiVersion: version, kind: deed.kind, metadata: { name: deed.name }, ...contentOf(deed) };
    if (this.#create(deed.kind, body) === 409 && !isOtherShape(this.#find(deed), deed))
      this.#patch(deed, contentOf(deed));
  }

  #create(kind: string, body: object): number {
    return this.#user({ method: 'POST', path: collectionPath(kindNamed(kind), placeOf(kind).namespace), body });
  }

  #patch(deed: Pick<UserDeed, 'kind' | 'name'>, body: object): void {
    this.#user({ method: 'PATCH', path: pathOf(deed), contentType: 'application/merge-patch+json', body });
  }

  annotate(deed: Pick<UserDeed, 'kind' | 'name'>, annotation: string, value: string | null): void {
    this.#patch(deed, { metadata: { annotations: { [annotation]: value } } });
  }

  #user(call: ApiCall): number {
    return this.#world.user(call);
  }
}

/** A cluster is not made into one with a template, or without: the rules of its schema refuse that, which are not simulated. */
const isOtherShape = (
  old: Stored | undefined,
  { kind, spec }: Extract<UserDeed, { readonly does: 'apply' }>,
): boolean =>
  kind === 'Cluster' && 'clusterTemplateRef' in ((old?.spec ?? {}) as object) !== 'clusterTemplateRef' in spec;

/** Who wants to delete it does not wait for what else was to be done with it; nor who lets it be taken over for a ledger that is whole just then. */
const comesFirst = ({ does }: UserDeed, waiting: UserDeed): boolean =>
  does === 'delete' || (does === 'annotate' && waiting.does === 'lose ledger');

function mustWait(deed: UserDeed, old: Stored | undefined): boolean {
  const leaves = old?.metadata.deletionTimestamp !== undefined;
  switch (deed.does) {
    case 'apply':
      return leaves && deed.kind !== 'Secret';
    case 'recreate':
    case 'restore':
    case 'copy':
      return old !== undefined && !leaves && mainId(old) === undefined;
    case 'lose ledger':
      return old !== undefined && !leaves && !isWhole(old);
    default:
      return false;
  }
}

const suspendIn = (object: object | undefined): boolean | undefined =>
  (object as { readonly spec?: { readonly suspend?: boolean } } | undefined)?.spec?.suspend;

/** The edits up to the first one that resumes it; empty: nobody does so far. */
function editsToResume(waiting: readonly UserDeed[]): readonly UserDeed[] {
  const last = waiting.findIndex((deed) => deed.does === 'edit' && suspendIn(deed) === false);
  return waiting.slice(0, last + 1).filter(({ does }) => does === 'edit');
}

const pathOf = ({ kind, name }: Pick<UserDeed, 'kind' | 'name'>): string =>
  objectPath(kindNamed(kind), { namespace: placeOf(kind).namespace, name });

const contentOf = ({ kind, spec }: { readonly kind: string; readonly spec: object }): object =>
  kind === 'Secret' || kind === 'Namespace' ? spec : { spec };

interface Grouped {
  readonly spec?: { readonly clusterTemplateRef?: unknown; readonly nodeGroups?: readonly { readonly name: string }[] };
}

/** Of a group that belongs to its template, a Cluster sets only the count; those of the template are drawn in every world. */
function withinTemplate(content: object, old: Stored | undefined): object {
  const { spec } = content as Grouped;
  const templated = (old as Grouped | undefined)?.spec?.clusterTemplateRef !== undefined;
  if (!templated || spec?.nodeGroups === undefined) return content;
  const nodeGroups = (spec.nodeGroups as readonly { readonly name: string; readonly count?: number }[]).map((group) =>
    templateGroups.includes(group.name) ? { name: group.name, count: group.count } : group,
  );
  return { ...content, spec: { ...spec, nodeGroups } };
}
