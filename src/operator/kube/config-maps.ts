// The ConfigMaps that resources name, and no others: one watch for each, as long as a resource names it.
//
// The operator must not list the ConfigMaps of a cluster: there are many, and most are none of its business. Of those that are named,
// only digests of the named keys are kept. Whoever needs the bytes reads them.
import type { ApiTransport } from '../../kube/http/transport.ts';
import { placeOf, type ResourceKind } from '../../kube/resource.ts';
import { WatchAttempts } from '../../kube/watch/attempts.ts';
import type { Delta } from '../../kube/watch/watch-cache.ts';
import { openWatch } from '../../kube/watch/watch-stream.ts';
import type { CommonPorts, Random } from '../../lib/ports.ts';
import { sleep } from '../../lib/timing/wait.ts';
import type { FileDigest, RawResource } from '../api/definition.ts';
import { fileDigest } from '../api/file-digest.ts';
import { readObject } from './read-object.ts';

export const configMaps: ResourceKind = { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps' };

/** A key of a ConfigMap that a resource names. */
export interface FileUse {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export interface ConfigMapsOptions extends CommonPorts {
  readonly transport: ApiTransport;
  readonly random: Random;
  /** Receives every change of what is kept, in order. Must not throw. */
  readonly publish: (changes: readonly Delta[]) => void;
}

/** `use` may be called at any time. Guarantees: no watch outlives its last user or `stop`. */
export class ConfigMaps {
  readonly #options: ConfigMapsOptions;
  readonly #watches = new Map<string, ConfigMapWatch>();
  /** By user. */
  readonly #uses = new Map<string, readonly FileUse[]>();
  /** By ConfigMap, then by user. */
  readonly #users = new Map<string, Map<string, readonly FileUse[]>>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: ConfigMapsOptions) {
    this.#options = options;
  }

  /** The number of ConfigMaps that are watched. */
  get size(): number {
    return this.#watches.size;
  }

  /** Undefined: it does not exist, or nobody named it. `unread`: it was not read yet. */
  read(place: string): RawResource | undefined {
    return this.#watches.get(place)?.current;
  }

  /** Replaces what the user, any text, names. */
  use(user: string, uses: readonly FileUse[]): void {
    const before = this.#uses.get(user) ?? [];
    if (JSON.stringify(before) === JSON.stringify(uses)) return;
    if (uses.length === 0) this.#uses.delete(user);
    else this.#uses.set(user, uses);
    for (const place of new Set([...before, ...uses].map(placeOf))) {
      const users = this.#users.get(place) ?? new Map<string, readonly FileUse[]>();
      const there = uses.filter((one) => placeOf(one) === place);
      if (there.length === 0) users.delete(user);
      else users.set(user, there);
      this.#follow(place, users);
    }
  }

  /** Resolves when all watches have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const watch of this.#watches.values()) watch.end();
    await Promise.all(this.#running);
  }

  #follow(place: string, users: Map<string, readonly FileUse[]>): void {
    const uses = [...users.values()].flat();
    const [first] = uses;
    const keys = new Set(uses.map(({ key }) => key));
    const known = this.#watches.get(place);
    if (first === undefined) {
      known?.end();
      this.#watches.delete(place);
      this.#users.delete(place);
      return;
    }
    this.#users.set(place, users);
    if (known) known.want(keys);
    else if (!this.#stopped) this.#begin(place, new ConfigMapWatch(this.#options, first, keys));
  }

  #begin(place: string, watch: ConfigMapWatch): void {
    this.#watches.set(place, watch);
    const running = watch.run();
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }
}

/** One ConfigMap. Guarantees: `run` resolves after `end`, whatever the server answers, and never rejects. */
class ConfigMapWatch {
  readonly #options: ConfigMapsOptions;
  readonly #place: Pick<FileUse, 'namespace' | 'name'>;
  readonly #attempts: WatchAttempts;
  readonly #end = new AbortController();
  #keys: ReadonlySet<string>;
  /** Ends the current round, because another key is wanted. */
  #again = new AbortController();
  #failing = false;
  current: RawResource | undefined;

  constructor(options: ConfigMapsOptions, { namespace, name }: FileUse, keys: ReadonlySet<string>) {
    this.#options = options;
    this.#place = { namespace, name };
    this.#keys = keys;
    this.#attempts = new WatchAttempts(options.clock, options.random);
    this.current = this.#unread('');
  }

  /** Of a key that nobody named before nothing is known, so the ConfigMap is read again. */
  want(keys: ReadonlySet<string>): void {
    const isNew = [...keys].some((key) => !this.#keys.has(key));
    this.#keys = keys;
    if (!isNew) return;
    this.current = this.#unread('');
    this.#again.abort(new Error('another key is wanted'));
  }

  end(): void {
    this.#end.abort(new Error('nobody names the ConfigMap any more'));
  }

  async run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      this.#again = new AbortController();
      const round = AbortSignal.any([signal, this.#again.signal]);
      const waitMs = await this.#round(round);
      if (waitMs > 0) await sleep(this.#options.clock, waitMs, round);
    }
  }

  /** Returns the delay before the next round, in ms. */
  async #round(signal: AbortSignal): Promise<number> {
    this.#attempts.begin();
    try {
      await this.#follow(signal);
      this.#attempts.end();
      return this.#attempts.afterClose();
    } catch (error) {
      if (signal.aborted) return 0;
      this.#attempts.end();
      this.#failed(error);
      return this.#attempts.afterFailure();
    }
  }

  /** First it is read. The watch then begins with that version, or, without one, with the object if it exists by now. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { transport, random } = this.#options;
    const { namespace, name } = this.#place;
    const found = await readObject(transport, configMaps, { kind: configMaps.kind, namespace, name });
    if (signal.aborted) return;
    this.#take(found);
    const kind = { ...configMaps, fieldSelector: `metadata.name=${name}` };
    const version = found?.metadata.resourceVersion ?? '';
    const events = await openWatch({ transport, kind, namespace }, { version, random, signal });
    this.#attempts.opened();
    for await (const event of events) {
      signal.throwIfAborted();
      this.#attempts.event();
      if (event.type !== 'BOOKMARK') this.#take(event.type === 'DELETED' ? undefined : event.object);
    }
  }

  #take(found: RawResource | undefined): void {
    this.#failing = false;
    this.#set(found && this.#kept(found));
  }

  /** What is known stays known while the server cannot be asked. */
  #failed(err: unknown): void {
    const { log } = this.#options;
    if (!this.#failing) log.warn({ ...this.#place, err }, 'cannot watch a ConfigMap; the operator retries it');
    this.#failing = true;
    const why = err instanceof Error ? err.message : 'the API server did not answer';
    if (this.current?.unread !== undefined)
      this.#set(this.#unread(`cannot read ConfigMap ${this.#place.name}: ${why}`));
  }

  #set(next: RawResource | undefined): void {
    const previous = this.current;
    this.current = next;
    if (factsOf(previous) !== factsOf(next)) this.#options.publish([{ previous, current: next }]);
  }

  #kept(found: RawResource): RawResource {
    const files = [...this.#keys].flatMap((key): [string, FileDigest][] => {
      const digest = fileDigest(found, key);
      return digest ? [[key, digest]] : [];
    });
    const { name, namespace, uid, resourceVersion, generation } = found.metadata;
    const metadata = { name, namespace, uid, resourceVersion, generation };
    return { apiVersion: 'v1', kind: configMaps.kind, metadata, files: Object.fromEntries(files) };
  }

  #unread(unread: string): RawResource {
    const metadata = { ...this.#place, uid: '', resourceVersion: '', generation: 0 };
    return { apiVersion: 'v1', kind: configMaps.kind, metadata, unread };
  }
}

function factsOf(one: RawResource | undefined): string {
  return JSON.stringify([one?.metadata.uid, one?.files, one?.unread]);
}
