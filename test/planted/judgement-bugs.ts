// Bugs of single judgements that tables and properties must find: what is ours, what is gone, what a failure means, what is written.
import type { exchange } from '../../src/operator/client/http/exchange.ts';
import { type openAttempt } from '../../src/operator/reconcile/ledger/edits.ts';
import { currentClaim, type readLedger } from '../../src/operator/reconcile/ledger/ledger.ts';
import type { outcomeOfError } from '../../src/operator/reconcile/outcome.ts';
import { deleteFailedCreate } from '../../src/operator/reconcile/plan/next-step.ts';
import type * as plans from '../../src/operator/reconcile/plan/plan.ts';
import type { PlanInput } from '../../src/operator/reconcile/plan-input.ts';
import type { requeueOf } from '../../src/operator/reconcile/requeue.ts';
import type { readResource } from '../../src/operator/reconcile/resource/facts.ts';
import type { conditionsOf } from '../../src/operator/reconcile/status/conditions.ts';
import type { ServiceError } from '../../src/wire/errors/service-error.ts';
import type { classify } from '../../src/wire/errors/table.ts';
import { viewOf } from '../operator/reconcile/support.ts';
import type { Bug } from './bug.ts';
import { replacing } from './ground.ts';
import { next } from './protocol-bugs.ts';

type Planning = typeof plans.plan;

/** The plan of a input that is seen otherwise than it is. */
const seen = (change: (input: PlanInput) => PlanInput) => ({
  'plan.plan':
    (real: Planning): Planning =>
    (input) =>
      real(change(input)),
});

const judged = (change: (error: ServiceError) => Partial<ServiceError>) => ({
  'table.classify':
    (real: typeof classify): typeof classify =>
    (...of) => {
      const error = real(...of);
      return Object.assign(error, change(error));
    },
});

interface Applied {
  readonly body: { readonly metadata: Readonly<Record<string, unknown>> };
}

/** A request to the API server without one field of the metadata. */
const without = (call: string, field: string) => ({
  [`writes.${call}`]:
    (real: (...of: readonly never[]) => Applied) =>
    (...of: readonly never[]) => {
      const { body, ...rest } = real(...of);
      return { ...rest, body: { ...body, metadata: { ...body.metadata, [field]: undefined } } };
    },
});

export const judgementBugs: readonly Bug[] = [
  {
    name: 'a list that could not be had is taken for an empty one',
    breaks: 'I7',
    suite: { tests: 'operator/reconcile/protocol/create-answers' },
    plant: next((step, real) => {
      const last = step.trail.at(-1);
      if (last?.of !== 'observe' || !last.error) return real(step);
      const { error: _failed, ...answer } = last;
      const view = viewOf([], { listSentAt: last.at });
      return real({ ...step, trail: step.trail.with(-1, answer), input: { ...step.input, view } });
    }),
  },
  {
    name: 'a PUT is sent however long its intent took, after a newer one',
    breaks: 'I10',
    suite: { tests: 'operator/reconcile/protocol/change-protocol' },
    plant: next((step, real) =>
      step.plan.action === 'update' && step.trail.at(-1)?.of === 'intend-change'
        ? { effect: 'change', id: step.plan.id, change: step.plan.change }
        : real(step),
    ),
  },
  {
    name: 'an answer of 5xx is taken for a refusal, and what comes of it late is nobody’s',
    breaks: 'I2',
    suite: { tests: 'wire/errors/service-error' },
    plant: judged(({ category, certainty }) => ({ certainty: category === 'serverFault' ? 'answered' : certainty })),
  },
  {
    name: 'the 404 of a proxy is taken for one of the service',
    breaks: 'I2',
    suite: { tests: 'wire/errors/service-error' },
    plant: judged(({ status, category, ownShape }) =>
      status === 404 ? { category: 'notFound', ownShape: true } : { category, ownShape },
    ),
  },
  {
    name: 'a request without an answer is sent once more',
    breaks: 'I5',
    suite: { tests: 'operator/client/http/client', only: 'nothing is sent twice' },
    plant: replacing<typeof exchange>('exchange.exchange', (real) => async (...of) => {
      const first = await real(...of);
      return first.phase === 'answered' && first.status < 500 ? first : real(...of);
    }),
  },
  {
    name: 'the text of a failure keeps the token that the service repeats',
    breaks: 'I11',
    suite: { tests: 'wire/errors/service-error' },
    plant: { 'redaction.redact': () => (text: string) => text },
  },
  {
    name: 'the time that the service asks to wait is forgotten',
    breaks: 'E3',
    suite: { tests: 'operator/reconcile/outcome' },
    plant: replacing<typeof outcomeOfError>('outcome.outcomeOfError', (real) => (...of) => {
      const { retryAfterMs: _asked, ...outcome } = real(...of) as { readonly retryAfterMs?: number };
      return outcome as ReturnType<typeof outcomeOfError>;
    }),
  },
  {
    name: 'the finalizer comes after the first write',
    breaks: 'I7',
    suite: { tests: 'operator/kube/kubernetes-store' },
    plant: without('claimCall', 'finalizers'),
  },
  {
    name: 'an intent is written over what was not seen',
    breaks: 'I5',
    suite: { tests: 'operator/kube/kubernetes-store' },
    plant: without('claimCall', 'resourceVersion'),
  },
  {
    name: 'the finalizer is taken off by name, whatever bears it by now',
    breaks: 'I7',
    suite: { tests: 'operator/kube/kubernetes-store' },
    plant: without('releaseCall', 'uid'),
  },
  {
    name: 'a status is written over one that was not seen',
    breaks: 'I9',
    suite: { tests: 'operator/kube/kubernetes-store' },
    plant: without('statusCall', 'resourceVersion'),
  },
  {
    name: 'a replica writes after it lost the lease',
    breaks: 'I12',
    suite: { tests: 'operator/wiring/leader-transport' },
    plant: { 'leadership.whileLeading': () => (transport: unknown) => transport },
  },
  {
    name: 'a copied ledger is taken for one’s own',
    breaks: 'I3',
    suite: { tests: 'operator/reconcile/ledger/ledger' },
    plant: replacing<typeof readLedger>('ledger.readLedger', (real) => (...of) => {
      const read = real(...of);
      return read.state === 'moved' ? { state: 'ours', ledger: read.ledger } : read;
    }),
  },
  {
    name: 'a ledger that cannot be read is taken for none, and another object is made',
    breaks: 'I1',
    suite: { tests: 'operator/reconcile/plan/plan' },
    plant: replacing<typeof readLedger>('ledger.readLedger', (real) => (...of) => {
      const read = real(...of);
      return read.state === 'unconfirmed' ? { state: 'none' } : read;
    }),
  },
  {
    name: 'an older copy of the ledger in the status counts before the annotation',
    breaks: 'I2',
    suite: { tests: 'operator/reconcile/ledger/ledger' },
    plant: replacing<typeof readLedger>(
      'ledger.readLedger',
      (real) => (annotation, mirror, owner) => real(mirror, annotation, owner),
    ),
  },
  {
    name: 'the quarantine counts from the first create that was sent, not from the last',
    breaks: 'I7',
    suite: { tests: 'operator/reconcile/ledger/algebra' },
    plant: replacing<typeof openAttempt>(
      'edits.openAttempt',
      (real) => (value, claim, at) =>
        real(value, claim, value.claims.find(({ name }) => name === claim.name)?.attempts?.lastSentAt ?? at),
    ),
  },
  {
    name: 'an object that failed is deleted by itself',
    breaks: 'I4',
    suite: { tests: 'operator/reconcile/plan/existing' },
    plant: replacing<Planning>('plan.plan', (real) => (input) => {
      const planned = real(input);
      const claim = currentClaim(input.ledger);
      const failed = planned.action === 'none' && 'reason' in planned.outcome ? planned.outcome.reason : undefined;
      return failed === 'ExternalError' && claim?.id !== undefined
        ? deleteFailedCreate(input, claim, claim.id)
        : planned;
    }),
  },
  {
    name: 'what has a name like ours is taken for ours',
    breaks: 'I3',
    suite: { tests: 'operator/reconcile/ledger/naming' },
    plant: {
      'naming.isOwnName': () => (name: string, identity: { readonly name: string }) => name.startsWith(identity.name),
    },
  },
  {
    name: 'the later of two resources with one object deletes it, too',
    breaks: 'I3',
    suite: { tests: 'operator/reconcile/plan/plan-delete' },
    plant: seen((input) => ({ ...input, contestOf: () => undefined })),
  },
  {
    name: 'who has the better right to an object is not asked',
    breaks: 'I1',
    suite: { tests: 'operator/reconcile/ownership/claimants' },
    plant: { 'claimants.rightfulClaimant': () => () => undefined },
  },
  {
    name: 'a Connection that leads to another tenant is used',
    breaks: 'I3',
    suite: { tests: 'operator/reconcile/plan/plan-delete' },
    plant: { 'preconditions.pinsDiffer': () => () => undefined },
  },
  {
    name: 'a resource that was worked on is taken for a new one, from a stale read',
    breaks: 'I1',
    suite: { tests: 'operator/reconcile/resource/facts' },
    plant: replacing<typeof readResource>('facts.readResource', (real) => (...of) => ({
      ...real(...of),
      neverManaged: true,
    })),
  },
  {
    name: 'an object is made anew as soon as one list lacks it',
    breaks: 'I1',
    suite: { tests: 'operator/reconcile/plan/existing' },
    plant: seen((input) => ({ ...input, memory: { ...input.memory, missingSince: -1e9 } })),
  },
  {
    name: 'many objects that are gone at once are made anew',
    breaks: 'I1',
    suite: { tests: 'operator/reconcile/lists/mass-deletion' },
    plant: { 'mass-deletion.detectMassDeletions': () => () => new Map() },
  },
  {
    name: 'a list with entries that cannot be read proves that nothing is there',
    breaks: 'I7',
    suite: { tests: 'operator/reconcile/plan/plan-delete' },
    plant: seen((input) => ({
      ...input,
      view: input.view && { ...input.view, complete: true, unreadable: [] },
    })),
  },
  {
    name: 'what should be left in the service is deleted',
    breaks: 'I4',
    suite: { tests: 'operator/reconcile/plan/plan-delete' },
    plant: seen((input) => ({ ...input, facts: { ...input.facts, deletionPolicy: undefined } })),
  },
  {
    name: 'a spec that cannot be read keeps the resource from being deleted',
    breaks: 'L2',
    suite: { tests: 'operator/reconcile/plan/plan-delete' },
    plant: replacing<Planning>(
      'plan.plan',
      (real) => (input) => real(input.facts.spec.ok ? input : { ...input, facts: { ...input.facts, deleting: false } }),
    ),
  },
  {
    name: 'a deletion waits until the service has ended what it is at',
    breaks: 'L2',
    suite: { tests: 'operator/reconcile/protocol/delete-protocol' },
    plant: next((step, real) => {
      const effect = real(step);
      const { view, kind } = step.input;
      const found = effect.effect === 'delete' ? view?.byId(effect.id) : undefined;
      if (!found || kind.health(found).state === 'ready') return effect;
      const message = 'the service is busy';
      return { effect: 'done', outcome: { result: 'waiting', on: 'service', reason: 'Deleting', message } };
    }),
  },
  {
    name: 'the DELETE is sent again with each look',
    breaks: 'E3',
    suite: { tests: 'operator/reconcile/protocol/delete-protocol' },
    plant: next((step, real) => {
      const { deletesSent: _sent, ...memory } = step.input.memory;
      return real({ ...step, input: { ...step.input, memory } });
    }),
  },
  {
    name: 'a failure is tried again at once',
    breaks: 'E3',
    suite: { tests: 'operator/reconcile/requeue' },
    plant: replacing<typeof requeueOf>('requeue.requeueOf', (real) => (...of) => {
      const verdict = real(...of);
      return verdict.next === 'retry' ? { next: 'again' } : verdict;
    }),
  },
  {
    name: 'a status is written with each look',
    breaks: 'E1',
    suite: { tests: 'operator/reconcile/status/write-policy' },
    plant: { 'write-policy.statusWriteOf': () => () => ({ write: 'now' }) },
  },
  {
    name: 'conditions change their time without a change',
    breaks: 'I9',
    suite: { tests: 'operator/reconcile/status/conditions' },
    plant: replacing<typeof conditionsOf>(
      'conditions.conditionsOf',
      (real) => (standing, _previous, at) => real(standing, [], at),
    ),
  },
];
