// What people do to a finished object behind the operator's back: its status mangled, its ledger unreadable.
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { ofWorker, worker } from '../parts.ts';
import type { Hand, Mangled, TroubleRow } from '../row.ts';

const ready = {
  kind: 'NodeGroupTemplate',
  name: '@-worker',
  status: 'True',
  reason: 'Available',
  says: /what the spec asks for/,
} as const;
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
];

const annotated = (value: string | null) => ({ metadata: { annotations: { [ledgerAnnotation]: value } } });
const ledger = ({ metadata }: Mangled): string => metadata.annotations?.[ledgerAnnotation] ?? '';

const unreadable = (name: string, patch: (current: Mangled) => string, says: RegExp): TroubleRow => ({
  name: `ledger: ${name}`,
  parts: [worker()],
  hand: { on: 'object', patch: (current) => annotated(patch(current)), heals: false },
  told: [ofWorker('OwnershipUnconfirmed', says)],
  deletable: 'during',
  made: 1,
  left: 1,
});

const remedy =
  'To create a new object in the service, remove the annotation: .* Deleting this resource leaves the objects';

const ledgers: readonly TroubleRow[] = [
  unreadable('no JSON', () => '{"v":1', new RegExp(`it is not JSON.*${remedy}`)),
  unreadable(
    'of another object',
    (current) => ledger(current).replace(current.metadata.uid, 'somebody'),
    /another NodeGroupTemplate, which may exist in a namespace that is not watched\. What is in the service is safe: .* If the original is gone, set the annotation dataprocessing\.dev\/take-over: tests to take over its object\. Otherwise, to create a new object in the service, remove the annotation/,
  ),
  unreadable(
    'of another installation',
    (current) => ledger(current).replace('"installation":"tests"', '"installation":"elsewhere"'),
    /another installation \(elsewhere\).* remove the annotation: .* set the annotation dataprocessing\.dev\/take-over: elsewhere\. Deleting this resource leaves/,
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

export const byHandRows: readonly TroubleRow[] = [...statuses, ...ledgers];
