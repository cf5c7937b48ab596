// The services behind Connections, as far as the user may ask them.
import { ApiError } from '../../kube/api-error.ts';
import { type RawResource, toResource } from '../../kube/resource.ts';
import { reasonOf } from '../../lib/errors.ts';
import { sharedConnectionKind } from '../../operator/api/shared-api.ts';
import { type Key, keyText, nameText, type ServiceLookup, type Services } from '../../operator/reconcile/pass-ports.ts';
import { namespaceKey, namespaceKind } from '../../operator/reconcile/resource/sharing.ts';
import { customKind } from '../kind-names.ts';
import type { Connection } from '../objects.ts';
import { conditionIn, type Observed } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { openService, placeOf } from '../service/service-source.ts';
import { readOnlyService } from './read-only-service.ts';
import type { SeenObjects } from './seen-objects.ts';

const pollSeconds = 30;
const asClusterScoped = { apiVersion: 'v1', clusterScoped: true } as const;

interface AskingInput {
  readonly reach: Reach;
  readonly store: SeenObjects;
  readonly signal: AbortSignal;
}

export class AskedServices implements Services {
  readonly #input: AskingInput;
  readonly #known = new Map<string, ServiceLookup | string>();

  constructor(input: AskingInput) {
    this.#input = input;
  }

  /** Those that were not opened are not usable, so that claims of resources that use them count. */
  lookup(connection: Key): ServiceLookup {
    const found = this.#known.get(keyText(connection));
    if (typeof found === 'object') return found;
    return { state: 'broken', message: `${nameText(connection)} was not asked`, credentials: false };
  }

  /** All endpoints of the service of this one. */
  aliasesOf({ endpoint, tenant }: { readonly endpoint: string; readonly tenant: string }): readonly string[] {
    const all = [...this.#known.values()].flatMap((one) => {
      const isSame = typeof one === 'object' && one.state === 'usable' && one.tenant === tenant;
      return isSame && one.endpoints.includes(endpoint) ? one.endpoints : [];
    });
    return [...new Set([endpoint, ...all])];
  }

  /** Why nothing can be planned for what uses the Connection; undefined: it was opened. */
  async open(connection: Key, namespace: string): Promise<string | undefined> {
    const key = keyText(connection);
    const known = this.#known.get(key) ?? (await this.#look(connection));
    this.#known.set(key, known);
    if (typeof known === 'string') return known;
    return connection.kind === sharedConnectionKind ? this.#readLabels(namespace) : undefined;
  }

  async #look(key: Key): Promise<ServiceLookup | string> {
    const { store, reach, signal } = this.#input;
    const connection = store.read(key) ?? (await this.#readShared(key));
    if (typeof connection === 'string') return connection;
    if (connection === undefined)
      return { state: 'missing', message: `${nameText(key)} does not exist`, credentials: false };
    const { endpoint, formerEndpoints, tenant, dialect } = placeOf(connection as unknown as Connection);
    if (endpoint === '' || tenant === undefined) {
      const message = `${nameText(key)} does not know its endpoint and tenant yet, which the operator finds out`;
      return { state: 'broken', message, credentials: false };
    }
    const name = { kind: key.kind as 'Connection' | 'SharedConnection', name: key.name };
    const objects = reach.objects.within(key.namespace === '' ? reach.objects.namespace : key.namespace);
    const source = await openService({ ...reach, objects }, name).catch((error: unknown) => reasonOf(error));
    const service = readOnlyService({ dialect, source, clock: reach.transport.clock, signal });
    const endpoints = [endpoint, ...formerEndpoints];
    return { state: 'usable', service, endpoint, endpoints, tenant, dialect, pollSeconds, ...judged(connection) };
  }

  /** The one that is in no namespace is in no list. */
  async #readShared({ kind: name, name: of }: Key): Promise<RawResource | string | undefined> {
    const kind = name === sharedConnectionKind ? customKind(name) : undefined;
    if (kind === undefined) return undefined;
    return this.#readOne(kind, of);
  }

  /** A SharedConnection may select namespaces by these. */
  async #readLabels(namespace: string): Promise<string | undefined> {
    if (this.#input.store.read(namespaceKey(namespace))) return undefined;
    const found = await this.#readOne({ ...asClusterScoped, kind: namespaceKind, plural: 'namespaces' }, namespace);
    return typeof found === 'string' ? found : undefined;
  }

  async #readOne(kind: Parameters<typeof toResource>[0], name: string): Promise<RawResource | string | undefined> {
    const { reach, store } = this.#input;
    try {
      const found = toResource(kind, await reach.objects.read(kind, name));
      store.put(found);
      return found;
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const isForbidden = cause instanceof ApiError && cause.status === 403;
      return error instanceof ApiError || isForbidden ? reasonOf(error) : undefined;
    }
  }
}

/** As the operator judges, by the status. */
function judged(
  connection: RawResource,
): Pick<Extract<ServiceLookup, { state: 'usable' }>, 'mayCreate' | 'accepted' | 'message'> {
  const ready = conditionIn(connection as unknown as Observed, 'Ready');
  const { accepted } = (connection.status ?? {}) as { readonly accepted?: unknown };
  const isReady = ready?.status === 'True' && connection.metadata.deletionTimestamp === undefined;
  const why = ready === undefined ? 'the operator has not checked it yet' : `${ready.reason}: ${ready.message}`;
  return {
    mayCreate: isReady,
    accepted: accepted !== undefined,
    ...(isReady ? {} : { message: `${connection.kind} ${connection.metadata.name} is not ready: ${why}` }),
  };
}
