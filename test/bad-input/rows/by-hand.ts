// What people do to a finished object behind the operator's back: its status mangled, its ledger unreadable.
import { ledgerAnnotation } from '../../../src/operator/api/common.ts';
import { cluster, image, template, worker } from '../parts.ts';
import type { Hand, Mangled, Part, TroubleRow } from '../row.ts';

type Conditions = readonly Readonly<Record<string, unknown>>[];
const conditionsOf = ({ status }: Mangled): Conditions => (status?.['conditions'] ?? []) as Conditions;
const ready = {
  kind: 'NodeGroupTemplate',
  name: '@-worker',
  status: 'True',
  reason: 'Available',
  says: /what the spec asks for/,
} as const;
const stranger = {
  type: 'Approved',
  status: 'True',
  reason: 'ByHand',
  message: 'looks good',
  observedGeneration: 1,
  lastTransitionTime: '2020-01-01T00:00:00Z',
};

const others: readonly Part[] = [
  image(),
  template({ nodeGroups: [{ name: 'all', count: 1, flavorID: '2', nodeProcesses: ['namenode'] }] }),
  cluster(),
];
const madeFor = ({ kind }: Part): number => (kind === 'ImageRegistration' ? 0 : 1);

const mangled = (name: string, patch: Hand['patch']): TroubleRow => ({
  name: `status: ${name}`,
  parts: [worker()],
  hand: { on: 'status', patch: (current) => ({ status: patch(current) }), heals: true },
  told: [ready],
  deletable: 'during',
  made: 1,
});

const statuses: readonly TroubleRow[] = [
  mangled('taken away', () => ({
    conditions: null,
    id: null,
    externalName: null,
    observedGeneration: null,
    ledger: null,
  })),
  mangled('all conditions removed', () => ({ conditions: [] })),
  mangled('Ready removed', (current) => ({ conditions: conditionsOf(current).filter(({ type }) => type !== 'Ready') })),
  mangled('a condition of a stranger added', (current) => ({ conditions: [...conditionsOf(current), stranger] })),
  mangled('Ready turned to False', (current) => ({
    conditions: conditionsOf(current).map((one) =>
      one['type'] === 'Ready' ? { ...one, status: 'False', reason: 'Broken', message: 'by hand' } : one,
    ),
  })),
  mangled('Stalled added', (current) => ({ conditions: [...conditionsOf(current), { ...stranger, type: 'Stalled' }] })),
  mangled('a time that is none', (current) => ({
    conditions: conditionsOf(current).map((one) => ({ ...one, lastTransitionTime: 'yesterday' })),
  })),
  mangled('another id and name', () => ({ id: 'nonsense', externalName: 'nonsense' })),
  mangled('a generation from the future', () => ({ observedGeneration: 99 })),
  mangled('a generation before the first', () => ({ observedGeneration: -1 })),
  mangled('a mirror of the ledger that is none', () => ({ ledger: '{"v":' })),
  mangled('fields that do not exist, and drift and blockers that are not there', () => ({
    garbage: { a: 1 },
    drift: [{ path: 'spec.x', want: '1', have: '2', fixable: true }],
    blockedOn: [{ kind: 'Moon', name: 'full', reason: 'Tide', message: 'wait' }],
  })),
];

const annotated = (value: string | null) => ({ metadata: { annotations: { [ledgerAnnotation]: value } } });
const ledger = ({ metadata }: Mangled): string => metadata.annotations?.[ledgerAnnotation] ?? '';

const unreadable = (name: string, patch: (current: Mangled) => string, says: RegExp): TroubleRow => ({
  name: `ledger: ${name}`,
  parts: [worker()],
  hand: { on: 'object', patch: (current) => annotated(patch(current)), heals: false },
  told: [{ kind: 'NodeGroupTemplate', name: '@-worker', reason: 'OwnershipUnconfirmed', says }],
  deletable: 'during',
  made: 1,
  left: 1,
});

const remedy = 'Remove the annotation to get an object of its own, or delete the resource';

const ledgers: readonly TroubleRow[] = [
  unreadable('no JSON', () => '{"v":1', new RegExp(`it is not JSON.*${remedy}`)),
  unreadable('empty', () => '', new RegExp(`it is not JSON.*${remedy}`)),
  unreadable('null', () => 'null', new RegExp(`cannot be read.*${remedy}`)),
  unreadable('a list', () => '[]', new RegExp(`cannot be read.*${remedy}`)),
  unreadable(
    'a claim without a name',
    () => '{"v":1,"installation":"tests","uid":"x","endpoint":"","tenant":"","base":"","claims":[{}]}',
    new RegExp(`claims\\.0\\.role cannot be read.*${remedy}`),
  ),
  unreadable(
    'of a later version',
    (current) => ledger(current).replace('"v":1', '"v":2'),
    new RegExp(`version 2.*${remedy}`),
  ),
  unreadable(
    'of another object',
    (current) => ledger(current).replace(current.metadata.uid, 'somebody'),
    /another NodeGroupTemplate, which may live in a namespace that is not watched\. Remove the annotation .* dataprocessing\.dev\/take-over: tests/,
  ),
  unreadable(
    'of another installation',
    (current) => ledger(current).replace('"installation":"tests"', '"installation":"elsewhere"'),
    /another installation \(elsewhere\).*Remove the annotation .* dataprocessing\.dev\/take-over: elsewhere to take over .* or delete the resource/,
  ),
  {
    name: 'ledger: annotation and finalizer taken off',
    parts: [worker()],
    hand: {
      on: 'object',
      patch: () => ({ metadata: { finalizers: null, annotations: { [ledgerAnnotation]: null } } }),
      heals: true,
    },
    told: [ready],
    deletable: 'during',
    made: 1,
  },
];

/** What is done to one kind above is done to the others, too. */
const ofOthers: readonly TroubleRow[] = others.flatMap((part): readonly TroubleRow[] => {
  const { kind, name } = part;
  const common = { parts: [part], deletable: 'during', made: madeFor(part) } as const;
  return [
    {
      ...common,
      name: `status of a ${kind}: taken away`,
      hand: { on: 'status', patch: () => ({ status: { conditions: null, id: null, ledger: null } }), heals: true },
      told: [{ ...ready, kind, name }],
    },
    {
      ...common,
      name: `ledger of a ${kind}: no JSON`,
      hand: { on: 'object', patch: () => annotated('{"v":1'), heals: false },
      told: [{ kind, name, reason: 'OwnershipUnconfirmed', says: new RegExp(`it is not JSON.*${remedy}`) }],
      left: madeFor(part),
    },
  ];
});

export const byHandRows: readonly TroubleRow[] = [...statuses, ...ledgers, ...ofOthers];
