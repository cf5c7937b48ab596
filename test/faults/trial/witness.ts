// Sees every write of one cell pass, and says which of the invariants it breaks: what is durable decides, not what the operator knows.
import { finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { markerIn } from '../../../src/wire/jobs.ts';
import { routes } from '../../../src/wire/routes.ts';
import { readyTooSoon, reowned, repinned, wentBack } from '../../support/invariants.ts';
import { madeKinds } from '../../support/service/made-kinds.ts';
import { nameOfRow, RunRequests } from '../../support/service/runs.ts';
import type { Seen } from '../plane/mirror.ts';
import type { Write } from '../tables/points.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { Scene } from './scene.ts';

/** What was last applied to one object of Kubernetes by the operator. */
interface Held {
  readonly uid: string;
  readonly ledger: Ledger;
  readonly finalizer: boolean;
  /** Its last finalizer of ours went. */
  readonly released: boolean;
}

interface Metadata {
  readonly uid?: string;
  readonly generation?: number;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

type Body = Partial<Omit<Seen, 'metadata'>> & { readonly metadata?: Metadata };

/** By the first segment of their paths. */
const rowsByPath = new Map<string, (typeof madeKinds)[number]>(madeKinds.map((kind) => [routes[kind].path, kind]));

/** Of the run that is asked for; undefined: none is. */
function markerOf({ side, path, body }: Write): string | undefined {
  const [, , , route, , operation] = path.split('/');
  if (side !== 'service' || route !== 'jobs' || operation !== 'execute') return undefined;
  return markerIn((body as { readonly job_configs?: unknown } | undefined)?.job_configs);
}

/** What a write to the service is about. */
function objectOf(write: Write) {
  const { method, path, body } = write;
  const [, , , route = '', id] = path.split('/');
  const marker = markerOf(write);
  if (marker !== undefined) return { method, route: 'job-executions', id: undefined, name: marker };
  // PUT stores a file under a new name, as POST creates other objects.
  if (method === 'PUT' && route === 'job-binary-internals') return { method: 'POST', route, id: undefined, name: id };
  const { name } = (body ?? {}) as { readonly name?: string };
  return { method, route, id, name };
}

export class Witness {
  readonly broken: string[] = [];
  readonly #scene: () => Scene;
  readonly #secrets: readonly string[];
  /** By the path of the object. */
  readonly #held = new Map<string, Held>();
  /** By uid. */
  readonly #observed = new Map<string, number>();
  readonly #runs = new RunRequests();

  constructor(scene: () => Scene, secrets: readonly string[]) {
    this.#scene = scene;
    this.#secrets = secrets;
  }

  sent({ write }: Exchange): void {
    const text = JSON.stringify(write.body) ?? '';
    for (const secret of this.#secrets) if (text.includes(secret)) this.broken.push(`I11: a secret is in ${text}`);
    const wrong =
      write.side === 'service' ? [this.#wrongToService(write), this.#wrongRun(write)] : [this.#wrongRelease(write)];
    this.broken.push(...wrong.filter((one) => one !== undefined));
  }

  answered({ write }: Exchange, { status, body }: Reply): void {
    const marker = markerOf(write);
    if (marker !== undefined) this.#runs.answered(marker, status);
    if (write.side !== 'kubernetes' || write.method !== 'PATCH' || status >= 300) return;
    if (write.path.endsWith('/status')) return this.#told(JSON.parse(body.toString()) as Body);
    this.#applied(write.path, (write.body ?? {}) as Body);
  }

  /** I3, I4, I5, I7, I10 and I13. */
  #wrongToService(write: Write): string | undefined {
    const { method, route, id, name } = objectOf(write);
    const rows = rowsByPath.get(route);
    if (rows === undefined) return undefined;
    const known = id === undefined ? name : nameOfRow(this.#scene().store.get(rows, this.#scene().cell, id));
    const what = `${method} of ${route} ${id ?? name}`;
    const [held, claim] = this.#claimOf(route, id, known);
    if (held === undefined || claim === undefined) return `I3, I4, I5: ${what}, which no ledger names`;
    if (held.released) return `I13: ${what}, whose resource is released`;
    if (!held.finalizer) return `I7: ${what} before the finalizer`;
    if (method === 'POST' && (claim.attempts?.open ?? 0) === 0) return `I5: ${what} without an open intent`;
    return method === 'PUT' && held.ledger.change === undefined ? `I10: ${what} without an intended change` : undefined;
  }

  /** I15. */
  #wrongRun(write: Write): string | undefined {
    const marker = markerOf(write);
    if (marker === undefined) return undefined;
    this.#runs.sent(marker);
    const wrong = this.#runs.wrongWith(marker);
    return wrong && `I15: ${wrong}`;
  }

  #claimOf(collection: string, id: string | undefined, name: string | undefined) {
    for (const held of this.#held.values()) {
      const claim = held.ledger.claims.find(
        (one) => one.collection === collection && ((one.id !== undefined && one.id === id) || one.name === name),
      );
      if (claim !== undefined) return [held, claim] as const;
    }
    return [undefined, undefined] as const;
  }

  /** I7: what has something in the service is not released, unless the user wants to leave it there. */
  #wrongRelease({ path, method, body }: Write): string | undefined {
    const { metadata } = (body ?? {}) as Body;
    const held = this.#held.get(path);
    if (held === undefined || method !== 'PATCH' || metadata?.finalizers?.includes(finalizer) !== false)
      return undefined;
    const { store, cell } = this.#scene();
    const left = [...rowsByPath].flatMap(([route, rows]) =>
      store
        .list(rows, cell)
        .filter((row) =>
          held.ledger.claims.some(
            (one) => one.collection === route && (one.id === row.id || one.name === nameOfRow(row)),
          ),
        ),
    );
    return left.length > 0 && !this.#isOrphaned(held.uid)
      ? `I7: ${path} is released while ${left.map(({ name }) => name).join()} is there`
      : undefined;
  }

  #isOrphaned(uid: string): boolean {
    const object = this.#scene()
      .objects()
      .find(({ metadata }) => metadata.uid === uid);
    return object === undefined || object.spec?.deletionPolicy === 'Orphan';
  }

  /** I6: pins stay as they are. */
  #applied(path: string, { metadata = {} }: Body): void {
    const before = this.#held.get(path);
    const { uid = '', finalizers = [], annotations } = metadata;
    const text = annotations?.[ledgerAnnotation];
    const holds = finalizers.includes(finalizer);
    if (text === undefined) {
      if (before?.uid === uid && !holds) this.#held.set(path, { ...before, finalizer: false, released: true });
      return;
    }
    const ledger = JSON.parse(text) as Ledger;
    const broken =
      before?.uid === uid ? (repinned(before.ledger, ledger) ?? reowned(before.ledger, ledger)) : undefined;
    if (broken !== undefined) this.broken.push(`I6: ${path}: ${broken}`);
    this.#held.set(path, { uid, ledger, finalizer: holds, released: false });
  }

  /** I8 and I9. */
  #told({ kind, metadata = {}, status }: Body): void {
    const { uid = '', generation = 0 } = metadata;
    const { observedGeneration = -1 } = status ?? {};
    const soon = readyTooSoon(status ?? {}, generation);
    if (soon !== undefined) this.broken.push(`I8: ${kind} ${soon}`);
    const back = wentBack(this.#observed.get(uid), observedGeneration);
    if (back !== undefined) this.broken.push(`I9: observedGeneration of ${kind} ${back}`);
    this.#observed.set(uid, observedGeneration);
  }
}
