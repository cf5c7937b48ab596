// Whose the objects of the service are, as only the simulation can know: who made each, and what became of its resource since.
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import { digest } from '../../../src/operator/reconcile/ledger/naming.ts';
import type { Change } from '../api/api-server.ts';
import { installation } from '../plan/plan.ts';
import { uidIn } from './runs.ts';

const mark = digest(installation, 4);

/** The name is one that this installation gives. */
export function isOfInstallation(name: string): boolean {
  const [, tag = ''] = /-([a-z2-7]{12}|[a-z2-7]{20})$/.exec(name) ?? [];
  return tag.startsWith(mark);
}

/**
 * The objects of a resource stay with this change: by the user's word, or because nobody was asked, as when something that came back from
 * a backup is deleted before it gets the finalizer.
 */
export function leavesObjects({ type, object, before }: Change, byOperator: boolean): boolean {
  const held = before?.metadata.finalizers?.includes(finalizer) ?? false;
  if (!held) return type === 'DELETED' && !byOperator;
  const released = type === 'DELETED' || !object.metadata.finalizers?.includes(finalizer);
  const { deletionPolicy, policy } = (before?.spec ?? {}) as {
    readonly deletionPolicy?: string;
    readonly policy?: string;
  };
  return released && byOperator && (deletionPolicy === 'Orphan' || policy === 'Observe');
}

export class Ownership {
  /** Uids by the tag that names carry. */
  readonly #tagged = new Map<string, string>();
  /** Those that markers of runs begin with. */
  readonly #uids = new Set<string>();
  /** Who asked for the fixed names. */
  readonly #fixed = new Map<string, string>();
  /** Of every object of the service that ever was: the uid of who made it; undefined for those of others. */
  readonly #makers = new Map<string, string | undefined>();
  /** What became of objects that users made anew with their ledgers: the next uid, by the one before. */
  readonly #successors = new Map<string, string>();
  #replaced: string | undefined;
  #othersAct = false;

  /** The uid of whose object this is now; undefined: somebody else's. */
  of(id: string): string | undefined {
    return this.#lastOf(this.#makers.get(id));
  }

  /** The uid of whose objects bear the name: it tells, or somebody asked for it. */
  ofName(name: string): string | undefined {
    if (this.#uids.has(uidIn(name))) return this.#lastOf(uidIn(name));
    const [, tag = ''] = /-([a-z2-7]+)$/.exec(name) ?? [];
    return this.#lastOf(tag.startsWith(mark) ? this.#tagged.get(tag.slice(0, 12)) : this.#fixed.get(name));
  }

  #lastOf(uid: string | undefined): string | undefined {
    const next = uid === undefined ? undefined : this.#successors.get(uid);
    return next === undefined ? uid : this.#lastOf(next);
  }

  /** A resource is there. */
  born(uid: string): void {
    this.#tagged.set(mark + digest(uid, 8), uid);
    this.#uids.add(uid);
    if (this.#replaced !== undefined) this.#successors.set(this.#replaced, uid);
  }

  /** A request for an object of a fixed name is sent. */
  asked(name: string, uid: string): void {
    this.#fixed.set(name, uid);
  }

  /** An object of the service was made or changed. */
  made(id: string, owner: () => string | undefined): void {
    if (!this.#makers.has(id)) this.#makers.set(id, this.#othersAct ? undefined : owner());
  }

  /** Another resource has taken over what was left. */
  adopted(id: string, uid: string): void {
    this.#makers.set(id, uid);
  }

  /** What others do in the service makes nothing ours. */
  byOthers<Result>(act: () => Result): Result {
    this.#othersAct = true;
    const result = act();
    this.#othersAct = false;
    return result;
  }

  /** A user takes an object away, and makes it anew at once with all that it had. */
  replacing(uid: string, act: () => void): void {
    this.#replaced = uid;
    act();
    this.#replaced = undefined;
  }

  isBeingReplaced(uid: string): boolean {
    return this.#replaced === uid;
  }
}
