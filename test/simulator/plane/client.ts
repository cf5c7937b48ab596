// A client that asks an API server as the bundled service does, and keeps how it was answered.
import { ApiError } from '../../../src/kube/api-error.ts';
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { collectionPath, type RawResource, toResource } from '../../../src/kube/resource.ts';
import { listPages, openWatch, type WatchEvent } from '../../../src/kube/watch/watch-stream.ts';
import { systemRandom } from '../../../src/lib/system.ts';
import { KubeApi, type ObjectKind, pathOf, pods } from '../../../src/service/backends/pods/api/api.ts';
import { isRefusal } from '../../../src/service/backends/pods/api/failures.ts';
import { watchedKind } from '../../../src/service/backends/pods/api/watched-kinds.ts';
import type { Side } from './side.ts';

const mergePatch = 'application/merge-patch+json';

/** What the service keeps of an object. Nothing reads the generation of a pod, which older versions of Kubernetes do not have. */
export function kept(kind: ObjectKind, object: unknown): RawResource {
  const found = toResource(watchedKind(kind), object);
  return kind === pods ? { ...found, metadata: { ...found.metadata, generation: 0 } } : found;
}

/** How a request was refused, with what the service makes of it. */
export const saidIn = (error: unknown): unknown => {
  const { cause } = error as Error;
  if (cause instanceof ApiError) return { passes: true, ...(saidIn(cause) as object) };
  if (!(error instanceof ApiError)) throw error;
  const { category, status, reason } = error;
  return { category, status, reason, isRefusal: isRefusal(error) };
};

/** A watch, and what it has sent so far. */
export class Seen {
  readonly #events: unknown[] = [];
  readonly #controller = new AbortController();
  #isOver = false;

  constructor(read: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>) {
    void this.#collect(read);
  }

  async #collect(read: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>): Promise<void> {
    const { signal } = this.#controller;
    try {
      const opened = await read(signal);
      this.#events.push('opened');
      for await (const event of opened) this.#events.push(event);
      this.#events.push('ended');
    } catch (error) {
      if (!signal.aborted) this.#events.push(saidIn(error));
    }
    this.#isOver = true;
  }

  /** Resolves when the event or the end is there. */
  async reaches({ pass }: Side, isLast: (event: unknown) => boolean, stepMs = 0): Promise<void> {
    for (let tries = 0; !this.#isOver && !this.#events.some(isLast); tries += 1) {
      if (tries > 500) throw new Error(`the watch has only sent ${JSON.stringify(this.#events)}`);
      await pass(stepMs);
    }
  }

  /** Ends the watch. Returns what it has sent, without bookmarks but that of the list: they come when they come, and with any version. */
  end(): readonly unknown[] {
    this.#controller.abort(new Error('enough was seen'));
    return this.#events.flatMap((event) => {
      const { type, initialEnd } = event as Partial<Extract<WatchEvent, { type: 'BOOKMARK' }>>;
      return type !== 'BOOKMARK' ? [event] : initialEnd === false ? [] : [{ type, initialEnd }];
    });
  }
}

/** Sends requests, and keeps how each of them was answered. */
export class Client {
  readonly side: Side;
  readonly api: KubeApi;
  readonly answers: Record<string, unknown> = {};

  constructor(side: Side) {
    this.side = side;
    this.api = new KubeApi(side.transport);
  }

  async note(what: string, work: () => Promise<unknown>): Promise<void> {
    this.answers[what] = await work().catch(saidIn);
  }

  /** What is not refused is answered with the object, or with something that nobody reads. */
  send(call: ApiCall): Promise<unknown> {
    return this.side.transport.request(call);
  }

  pathOf(kind: ObjectKind, of: string): string {
    return pathOf(kind, this.side.namespace, of);
  }

  async edit(kind: ObjectKind, of: string, body: object): Promise<void> {
    await this.send({ method: 'PATCH', path: this.pathOf(kind, of), contentType: mergePatch, body });
  }

  async setStatus(kind: ObjectKind, of: string, status: object): Promise<void> {
    const path = `${this.pathOf(kind, of)}/status`;
    await this.send({ method: 'PATCH', path, contentType: mergePatch, body: { status } });
  }

  /** As the service deletes, or with other options. */
  delete(kind: ObjectKind, of: string, body: object = { propagationPolicy: 'Background' }): Promise<unknown> {
    return this.send({ method: 'DELETE', path: this.pathOf(kind, of), body });
  }

  /** What the service has of the object. */
  async get(kind: ObjectKind, of: string): Promise<unknown> {
    const found = await this.api.get(kind, this.side.namespace, of);
    return found && kept(kind, found);
  }

  async list(kind: ObjectKind, wanted: Readonly<Record<string, string>>): Promise<unknown> {
    const found = await this.api.list(kind, this.side.namespace, { labels: wanted }, (object) => object);
    return found.map((object) => kept(kind, object));
  }

  async create(kind: ObjectKind, of: string, rest: object): Promise<void> {
    const { metadata = {}, ...fields } = rest as { readonly metadata?: object };
    const { apiVersion, kind: word } = kind;
    const body = { apiVersion, kind: word, metadata: { ...metadata, name: of }, ...fields };
    await this.send({ method: 'POST', path: collectionPath(kind, this.side.namespace), body });
  }

  /** `version`: where it starts. Undefined: with a list. */
  watch(kind: ObjectKind, version: string | undefined): Seen {
    const { transport, namespace } = this.side;
    const collection = { transport, kind: watchedKind(kind), namespace };
    return new Seen((signal) => openWatch(collection, { version, random: systemRandom, signal }));
  }

  async versionOf(kind: ObjectKind): Promise<string> {
    const { transport, namespace } = this.side;
    const { version } = await listPages(
      { transport, kind: watchedKind(kind), namespace },
      new AbortController().signal,
    );
    return version;
  }
}
