// One watch at the simulated API server: what it sends, in which order, and when it ends.
import type { StreamCall } from '../../../src/kube/http/call.ts';
import { targetOf } from '../../../src/kube/target.ts';
import { type Answer, type ApiServer, type Change, inOrder, selects, statusAnswer } from './api-server.ts';
import type { Stored } from './fields.ts';

export interface WatchLine {
  readonly send: (value: unknown) => void;
  readonly end: () => void;
  /** Returns how to cancel it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

const bookmarkMs = 60_000;
/** A watch that is about to end sends a bookmark first. */
const lastBookmarkMs = 2_000;
const initialEnd = { 'k8s.io/initial-events-end': 'true' };

/** What is answered instead of a watch that begins with a list, as by Kubernetes 1.30. */
export const refusalOf = ({ query = {} }: Pick<StreamCall, 'query'>): Answer | undefined =>
  query['sendInitialEvents'] === true
    ? statusAnswer(422, 'Invalid', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden')
    : undefined;

export class ServedWatch {
  readonly #server: ApiServer;
  readonly #call: Pick<StreamCall, 'path' | 'query'>;
  readonly #line: WatchLine;
  readonly #timers: (() => void)[] = [];
  #isOver = false;

  constructor(server: ApiServer, call: Pick<StreamCall, 'path' | 'query'>, line: WatchLine) {
    this.#server = server;
    this.#call = call;
    this.#line = line;
  }

  begin(): void {
    const { query = {}, path } = this.#call;
    const { resource } = targetOf(path);
    const { resourceVersion: version, sendInitialEvents, timeoutSeconds = 300, allowWatchBookmarks } = query;
    const changes = version === undefined ? [] : this.#server.since(resource, Number(version));
    // The API server has answered 200 by then.
    if (changes === undefined) return this.#expire(Number(version));
    if (version === undefined)
      for (const object of inOrder(this.#server.list(resource)))
        if (this.#has(object)) this.#line.send({ type: 'ADDED', object });
    if (sendInitialEvents === true) this.#bookmark(initialEnd);
    for (const change of changes) this.tell(change);
    const endMs = Number(timeoutSeconds) * 1000;
    this.#after(endMs, () => this.#end());
    if (allowWatchBookmarks !== true) return;
    this.#after(endMs - lastBookmarkMs, () => this.#bookmark());
    this.#bookmarkLater();
  }

  /** An object that begins to match the selectors counts as new, and one that no longer matches them as deleted. */
  tell({ type, plural, version, object, before }: Change): void {
    if (this.#isOver || plural !== targetOf(this.#call.path).resource) return;
    const is = type !== 'DELETED' && this.#has(object);
    const was = before !== undefined && this.#has(before);
    if (is) this.#line.send({ type: was ? 'MODIFIED' : 'ADDED', object });
    else if (was && type === 'DELETED') this.#line.send({ type, object });
    else if (was) {
      const metadata = { ...before.metadata, resourceVersion: `${version}` };
      this.#line.send({ type: 'DELETED', object: { ...before, metadata } });
    }
  }

  /** It sends nothing any more. */
  close(): void {
    this.#isOver = true;
    for (const cancel of this.#timers) cancel();
  }

  #has(object: Stored): boolean {
    const { namespace } = targetOf(this.#call.path);
    const isPlaced = namespace === undefined || object.metadata.namespace === namespace;
    return isPlaced && selects(this.#call.query, object);
  }

  #expire(version: number): void {
    const message = `too old resource version: ${version} (${this.#server.version})`;
    this.#line.send({ type: 'ERROR', object: statusAnswer(410, 'Expired', message).body });
    this.#end();
  }

  #bookmark(annotations: Readonly<Record<string, string>> = {}): void {
    const metadata = { resourceVersion: `${this.#server.version}`, annotations };
    this.#line.send({ type: 'BOOKMARK', object: { metadata } });
  }

  #bookmarkLater(): void {
    this.#after(bookmarkMs, () => {
      this.#bookmark();
      this.#bookmarkLater();
    });
  }

  #end(): void {
    this.close();
    this.#line.end();
  }

  #after(ms: number, run: () => void): void {
    if (ms >= 0) this.#timers.push(this.#line.after(ms, run));
  }
}
