// The routes of a kind of resource, as far as their actions are given: list, show, create, change and delete.
import { type Route, routes } from '../../../wire/routes.ts';
import { listVisible } from '../../model/checks/owners.ts';
import { checkGrowth } from '../../model/checks/quotas.ts';
import { need, titles } from '../../model/checks/request-checks.ts';
import type { Kind, Records } from '../../model/records/records.ts';
import { renderCreated, renderOne, type Service } from '../service.ts';
import type { About } from './about.ts';
import { answerRows } from './answer-rows.ts';
import { accepted, type Call, type Endpoint, nothing, ok } from './endpoint.ts';
import { filtered, type ListedKind, listParameters } from './listing.ts';

type RouteAction<Result> = (service: Service, call: Call) => Result;

/** An action with its documentation. */
interface Documented<Result> extends Pick<About, 'description' | 'body' | 'causes'> {
  readonly action: RouteAction<Result>;
}

interface ResourceActions<K extends Kind> {
  readonly create?: Documented<Records[K]>;
  readonly change?: Documented<Records[K]> & Pick<About, 'summary'>;
  readonly remove?: Documented<void>;
}

/** Answers 202 with the created record. */
export const answerCreated =
  <K extends Kind>(kind: K, create: RouteAction<Records[K]>): Endpoint['handle'] =>
  (service, call) =>
    accepted(renderCreated(service, { kind, tenant: call.tenant }, create(service, call)));

/** Answers 202 with the changed record. */
const answerChanged =
  <K extends Kind>(kind: K, change: RouteAction<Records[K]>): Endpoint['handle'] =>
  (service, call) => {
    checkGrowth(service, call.tenant, call.body);
    return accepted(renderOne(service, { kind, tenant: call.tenant }, change(service, call)));
  };

/** Answers 200 with the record. */
export const answerShown =
  <K extends Kind>(kind: K, show: RouteAction<Records[K]>): Endpoint['handle'] =>
  (service, call) =>
    ok(renderOne(service, { kind, tenant: call.tenant }, show(service, call)));

/** Late upstream releases filter. Other releases answer with everything, whatever the query. */
const answerList =
  <K extends ListedKind>(kind: K): Endpoint['handle'] =>
  (service, { tenant, query }) => {
    const rows = listVisible(service.store, kind, tenant);
    return answerRows(service, { kind, tenant }, service.dialect === 'sahara' ? filtered(kind, rows, query) : rows);
  };

const aboutList = (kind: ListedKind): About => ({
  summary: `List ${routes[kind].path.replaceAll('-', ' ')}`,
  query: (dialect) => (dialect === 'sahara' ? listParameters(kind) : []),
  success: { status: 200, list: kind },
  causes: ['badParameter'],
});

type Row = readonly [method: Endpoint['method'], path: string, about: About, handle: Endpoint['handle']];

const rowOf = <Given>(given: Given | undefined, make: (given: Given) => Row): readonly Row[] =>
  given === undefined ? [] : [make(given)];

/** The name of the identifier in the documentation of paths. */
export const named = (kind: ListedKind) => ({
  names: { id: { name: `${routes[kind].single}_id`, description: `Identifier of the ${titles[kind]}` } },
});

const removalRow = (kind: ListedKind, { action, ...described }: Documented<void>): Row => [
  'DELETE',
  `${routes[kind].path}/:id`,
  { ...described, summary: `Delete ${titles[kind]}`, ...named(kind), success: { status: 204 } },
  (service, call) => {
    action(service, call);
    return nothing;
  },
];

const showRow = <K extends ListedKind>(kind: K): Row => [
  'GET',
  `${routes[kind].path}/:id`,
  {
    summary: `Show ${titles[kind]}`,
    ...named(kind),
    success: { status: 200, one: kind },
  },
  answerShown(kind, ({ store }, call) => need(store, kind, call)),
];

export function resourceEndpoints<K extends ListedKind>(
  kind: K,
  { create, change, remove }: ResourceActions<K>,
): readonly Endpoint[] {
  const { path, version }: Route = routes[kind];
  const [one, success] = [titles[kind], { status: 202, one: kind } as const];
  const rows: readonly Row[] = [
    ['GET', path, aboutList(kind), answerList(kind)],
    showRow(kind),
    ...rowOf(
      create,
      ({ action, ...described }): Row => [
        'POST',
        path,
        { ...described, summary: `Create ${one}`, success },
        answerCreated(kind, action),
      ],
    ),
    ...rowOf(
      change,
      ({ action, ...described }): Row => [
        'PUT',
        `${path}/:id`,
        { ...described, ...named(kind), success },
        answerChanged(kind, action),
      ],
    ),
    ...rowOf(remove, (removal) => removalRow(kind, removal)),
  ];
  return rows.map(([method, at, about, handle]) => ({ method, path: at, version, about, handle }));
}
