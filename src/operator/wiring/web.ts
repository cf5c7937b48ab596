// Builds the page from the caches of this replica.
import type { ApiTransport } from '../../kube/http/transport.ts';
import type { CommonPorts } from '../../lib/ports.ts';
import { definitions } from '../kinds/index.ts';
import type { KubernetesStore } from '../kube/kubernetes-store.ts';
import type { Leadership } from '../reconcile/pass-ports.ts';
import { Reviews } from '../web/access/permissions.ts';
import page from '../web/page.json' with { type: 'json' };
import { createApi } from '../web/server/api.ts';
import { WebServer } from '../web/server/web-server.ts';

interface WebParts extends CommonPorts {
  readonly address: { readonly host?: string; readonly port: number };
  /** Not the one that writes only while this replica leads: reviews are created by all replicas, and stored nowhere. */
  readonly transport: ApiTransport;
  readonly store: KubernetesStore;
  readonly leadership: Leadership;
  /** The name of this replica. */
  readonly instance: string;
}

export function createWebServer({ address, transport, store, leadership, instance, ...ports }: WebParts): WebServer {
  const sources = {
    definitions,
    list: (kind: string) => store.list(kind),
    replica: () => ({ name: instance, leading: leadership.leading() }),
    notes: () => notesOf(store),
  };
  const unready = () => {
    const missing = definitions.filter(({ kind }) => !store.synced(kind)).map(({ plural }) => plural);
    return missing.length === 0 ? undefined : `this replica has not read everything yet: ${missing.join(', ')}`;
  };
  const reviews = new Reviews({ transport, clock: ports.clock });
  const answer = createApi({ sources, reviews, unready, clock: ports.clock });
  return new WebServer({ ...address, files: page, answer, log: ports.log });
}

/** Without the names of namespaces, which not every user may know. */
function notesOf(store: KubernetesStore): readonly string[] {
  const { sources } = store.health();
  const isOld = sources.some(({ failing, forbidden }) => failing !== undefined && !forbidden);
  const isPartial = sources.some(({ forbidden }) => forbidden);
  return [
    ...(isOld ? ['The operator does not reach the API server, so this may be out of date.'] : []),
    ...(isPartial
      ? ['The operator lacks the permission to read some namespaces, so their objects may be missing or out of date.']
      : []),
  ];
}
