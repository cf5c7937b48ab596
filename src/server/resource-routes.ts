// The routes that every kind of resource has, as far as its deeds are given: list, show, create, change and delete.
import { routes } from '../wire/routes.ts';
import { need } from './checks.ts';
import { accepted, type Call, type Endpoint, nothing, ok, okInParts } from './endpoint.ts';
import { type ListedKind, readRequest } from './listing.ts';
import { listSeen } from './owners.ts';
import type { Kind, Records } from './records.ts';
import { partsOfPage, renderOne, type Service, selectPage } from './service.ts';

type Deed<Result> = (service: Service, call: Call) => Result;

interface Deeds<K extends Kind> {
  readonly create?: Deed<Records[K]>;
  readonly change?: Deed<Records[K]>;
  readonly remove?: Deed<void>;
}

/** Upstream answers these creates without what was never set. */
const sparse: ReadonlySet<Kind> = new Set([
  'nodeGroupTemplates',
  'dataSources',
  'jobBinaryInternals',
  'jobBinaries',
  'jobs',
  'jobExecutions',
]);

/** Answers 202 with the record that came of the deed. */
export const answerCreated =
  <K extends Kind>(kind: K, create: Deed<Records[K]>): Endpoint['handle'] =>
  (service, call) =>
    accepted(renderOne(service, { kind, tenant: call.tenant, sparse: sparse.has(kind) }, create(service, call)));

/** Answers 202 with all of the record that has changed. */
export const answerChanged =
  <K extends Kind>(kind: K, change: Deed<Records[K]>): Endpoint['handle'] =>
  (service, call) =>
    accepted(renderOne(service, { kind, tenant: call.tenant }, change(service, call)));

/** Answers 200 with the record. */
export const answerShown =
  <K extends Kind>(kind: K, show: Deed<Records[K]>): Endpoint['handle'] =>
  (service, call) =>
    ok(renderOne(service, { kind, tenant: call.tenant }, show(service, call)));

/** Late upstream releases filter, sort and page; all else answers with everything, whatever is asked for. */
const answerList =
  <K extends ListedKind>(kind: K): Endpoint['handle'] =>
  (service, { tenant, query }) => {
    const at = { kind, tenant };
    if (service.dialect !== 'sahara' || Object.keys(query).length === 0)
      return okInParts(partsOfPage(service, at, { rows: listSeen(service.store, kind, tenant) }));
    const marker = [query['marker'] ?? []].flat()[0];
    if (marker !== undefined) need(service.store, kind, { tenant, id: marker });
    return okInParts(partsOfPage(service, at, selectPage(service, at, readRequest(kind, query))));
  };

export function resourceEndpoints<K extends ListedKind>(
  kind: K,
  { create, change, remove }: Deeds<K>,
): readonly Endpoint[] {
  const route: { readonly path: string; readonly version?: 'v1.1' } = routes[kind];
  const { path, version } = route;
  const handlers = [
    ['GET', path, answerList(kind)],
    ['GET', `${path}/:id`, answerShown(kind, ({ store }, call) => need(store, kind, call))],
    ['POST', path, create && answerCreated(kind, create)],
    ['PUT', `${path}/:id`, change && answerChanged(kind, change)],
    [
      'DELETE',
      `${path}/:id`,
      remove &&
        ((service, call) => {
          remove(service, call);
          return nothing;
        }),
    ],
  ] as const satisfies readonly (readonly [Endpoint['method'], string, Endpoint['handle'] | undefined])[];
  return handlers.flatMap(([method, at, handle]) =>
    handle === undefined ? [] : [{ method, path: at, version, handle }],
  );
}
