// The whole status: what holds for any outcome, what is kept, and what the schema of status must let through.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ConditionType,
  conditionReasons,
  ledgerAnnotation,
  readyReasons,
  reconcileAnnotations,
  recreateAnnotation,
} from '../../../../src/operator/api/shared-api.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { jobKind } from '../../../../src/operator/kinds/job/index.ts';
import type { Kind } from '../../../../src/operator/reconcile/kind/kind.ts';
import { serialiseLedger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { type Outcome, outcomeOfError, waiting } from '../../../../src/operator/reconcile/outcome.ts';
import { msToDeadline, pastDeadline } from '../../../../src/operator/reconcile/status/standing.ts';
import { nextStatus } from '../../../../src/operator/reconcile/status/status.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { claimOf, clusterName, clusterRow, ledgerOf, monotonic, resourceOf, wall } from '../support.ts';
import {
  applied,
  busyStatus,
  type ConcludedOptions,
  concludedOf,
  conditionsIn,
  driftedStatus,
  find,
  lostStatus,
  outcomes,
  overdueStatus,
  readyStatus,
} from './concluding.ts';
import { kstatus, kubectlWait } from './judges.ts';

const reason = fc.constantFrom(...readyReasons);
const message = fc.string({ unit: 'binary', maxLength: 5_000 });
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom<Outcome>(...Object.values(outcomes)),
  fc.record({ result: fc.constantFrom('refused', 'progressed'), reason, message }),
  fc.record({ result: fc.constant('waiting'), on: fc.constantFrom('service', 'kubernetes', 'time'), reason, message }),
  fc.record({ result: fc.constant('failed'), reason, message, observing: fc.boolean(), cause: fc.constant(undefined) }),
) as fc.Arbitrary<Outcome>;
const options: fc.Arbitrary<ConcludedOptions> = fc.record({
  status: fc.constantFrom({ observedGeneration: -1 }, readyStatus, busyStatus, overdueStatus, lostStatus, {}),
  deleting: fc.boolean(),
  metadata: fc.record({ generation: fc.integer({ min: 1, max: 3 }) }),
  ledger: fc.constantFrom(ledgerOf([]), ledgerOf([claimOf({ id: 'id-1' })])),
  memory: fc.record({ missedPolls: fc.record({ count: fc.nat(9), since: fc.integer({ min: 0, max: monotonic }) }) }),
  remote: fc.constantFrom(undefined, clusterRow()),
});

describe('whatever a pass came to', () => {
  const forAll = (check: (resource: ReturnType<typeof applied>, how: ConcludedOptions) => void) =>
    fc.assert(
      fc.property(outcome, options, (came, how) => {
        const result = concludedOf(came, how);
        if (nextStatus(result)) check(applied(result), how);
      }),
      { numRuns: 500 },
    );

  test('Stalled and Reconciling never stand together, and stand only as True', () => {
    forAll((resource) => {
      const abnormal = ['Stalled', 'Reconciling'].flatMap((type) => find(resource, type) ?? []);
      expect(abnormal.length).toBeLessThanOrEqual(1);
      for (const one of abnormal) expect(one.status).toBe('True');
    });
  });

  test('Ready and Synced are always there, each type once, each of this generation', () => {
    forAll((resource) => {
      const types = conditionsIn(resource).map((one) => one.type);
      expect(types).toEqual(expect.arrayContaining(['Ready', 'Synced']));
      expect(new Set(types).size).toBe(types.length);
      expect(resource.status).toMatchObject({ observedGeneration: resource.metadata.generation });
      for (const one of conditionsIn(resource)) expect(one.observedGeneration).toBe(resource.metadata.generation);
    });
  });

  test('what is not in step is not Ready, and what is not Ready says who is at work', () => {
    forAll((resource) => {
      const ready = find(resource, 'Ready')?.status;
      if (find(resource, 'Synced')?.status !== 'True') expect(ready).not.toBe('True');
      expect(find(resource, 'Stalled') ?? find(resource, 'Reconciling') ?? ready).toBeDefined();
      expect(ready === 'True').toBe(kubectlWait(resource, 'Ready'));
      if (!resource.metadata.deletionTimestamp) expect(kstatus(resource) === 'Current').toBe(ready === 'True');
    });
  });

  test('reasons are of the closed lists, and the schema of status takes it all', () => {
    forAll((resource) => {
      for (const { type, reason: said } of conditionsIn(resource))
        expect(conditionReasons[type as ConditionType] as readonly string[]).toContain(said);
      expect(clusterKind.definition.status.safeParse(resource.status)).toMatchObject({ success: true });
    });
  });

  test('the same again is the same status', () => {
    forAll((resource, how) => {
      const status = resource.status as Record<string, unknown>;
      expect(status).toEqual(JSON.parse(JSON.stringify(status)));
      const conditions = conditionsIn(resource).map((one) => one.message.isWellFormed());
      expect(conditions).not.toContain(false);
      expect(how).toBeDefined();
    });
  });
});

describe('what it holds', () => {
  const ledger = ledgerOf([claimOf({ id: 'id-1' })]);

  test('id, name and mirror of the ledger, with what the service reports', () => {
    expect(nextStatus(concludedOf(outcomes.settled, { ledger, remote: clusterRow() }))).toMatchObject({
      id: 'id-1',
      externalName: clusterName,
      ledger: serialiseLedger(ledger),
      externalStatus: 'Active',
    });
  });

  test('what was last observed stays shown while nobody can look', () => {
    const status = { ...readyStatus, externalStatus: 'Active', nodes: '3/3', blockedOn: [{ kind: 'x' }], id: 'old' };
    expect(nextStatus(concludedOf(outcomes.upstream, { ledger, status }))).toMatchObject({
      externalStatus: 'Active',
      nodes: '3/3',
      id: 'id-1',
    });
  });

  test.each<readonly [string, Outcome, readonly ReturnType<typeof claimOf>[]]>([
    ['was deleted in the service', outcomes.deleted, [claimOf({ id: 'id-1' })]],
    ['is refused when it is made again', outcomes.rejected, [claimOf({ id: 'id-1' })]],
    ['is still to be made again', outcomes.busy, [claimOf()]],
  ])('of an object that %s nothing is shown any more', (_name, came, claims) => {
    const status = { ...readyStatus, externalStatus: 'Active', nodes: '3/3', nodeGroups: [{ name: 'worker' }] };
    const next = nextStatus(concludedOf(came, { ledger: ledgerOf(claims), status }));
    for (const field of ['externalStatus', 'nodes', 'nodeGroups']) expect(next).not.toHaveProperty(field);
  });

  test('who was waited for is forgotten when nobody is', () => {
    const status = { ...busyStatus, blockedOn: [{ kind: 'x' }], drift: [{ path: 'x' }] };
    expect(nextStatus(concludedOf(outcomes.busy, { ledger, status }))).not.toHaveProperty('blockedOn');
    expect(nextStatus(concludedOf(outcomes.busy, { ledger, status }))).not.toHaveProperty('drift');
  });

  test('50 groups and a template can be awaited at once', () => {
    const blockedOn = Array.from({ length: 51 }, (_, n) => ({
      kind: 'NodeGroupTemplate',
      name: `t${n}`,
      reason: 'DependencyNotReady' as const,
      message: 'm',
    }));
    const status = nextStatus(concludedOf({ ...outcomes.dependency, blockedOn }));
    expect(clusterKind.definition.status.safeParse(status)).toMatchObject({ success: true });
    expect(status).toMatchObject({ blockedOn });
  });

  test('a ledger too long for the mirror leaves the rest writable', () => {
    const madeFrom = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`group-${n}`, `ref:${'t'.repeat(253)}${n}`]),
    );
    const long = { ...ledger, madeFrom, configs: { ...madeFrom } };
    const status = nextStatus(concludedOf(outcomes.settled, { ledger: long, remote: clusterRow() }));
    expect(clusterKind.definition.status.safeParse(status)).toMatchObject({ success: true });
    expect(status).not.toHaveProperty('ledger');
  });

  test('a status mangled by hand is replaced', () => {
    const status = { observedGeneration: 'x', conditions: [null, 7, { type: 'Ready' }], externalStatus: 'kept' };
    const written = nextStatus(concludedOf(outcomes.busy, { ledger, status }));
    expect(written).toMatchObject({ observedGeneration: 1 });
    expect(clusterKind.definition.status.safeParse(written)).toMatchObject({ success: true });
  });
});

describe('drift', () => {
  const ledger = ledgerOf([claimOf({ id: 'id-1' })]);
  const remote = clusterRow();
  test.each(['upstream', 'rejected', 'noEffect', 'dependency'] as const)(
    'is told until it is put right, also after %s',
    (came) => {
      const resource = applied(concludedOf(outcomes[came], { ledger, remote, status: driftedStatus }));
      expect(find(resource, 'Drifted')).toMatchObject({ status: 'True', reason: 'Drifted' });
      expect(resource.status).toMatchObject({ drift: driftedStatus.drift });
    },
  );

  test.each<readonly [string, Outcome, ConcludedOptions]>([
    ['is put right', outcomes.settled, { remote }],
    ['became the difference that an edit makes', outcomes.scaling, { remote, metadata: { generation: 2 } }],
    ['went with the object', outcomes.deleted, {}],
    ['does not count in a deletion', outcomes.deleting, { remote, deleting: true, held: true }],
  ])('is told no more when it %s', (_name, came, how) => {
    const resource = applied(concludedOf(came, { ledger, status: driftedStatus, ...how }));
    expect(find(resource, 'Drifted')).toBeUndefined();
    expect(resource.status).not.toHaveProperty('drift');
  });
});

describe('the deadline', () => {
  const hour = 3_600_000;
  const at = (how: ConcludedOptions) => msToDeadline(concludedOf(outcomes.busy, how));
  test.each<readonly [string, ConcludedOptions, number]>([
    ['of a newborn counts from its creation', {}, hour - 60_000],
    ['counts from when Ready was lost', { status: busyStatus }, hour - 60_000],
    ['is passed two hours later', { status: overdueStatus }, -hour],
    ['of what is Ready has not begun', { status: readyStatus }, hour],
    [
      'counts from an edit that this process saw',
      {
        status: overdueStatus,
        metadata: { generation: 2 },
        memory: { generationSeen: { generation: 2, at: monotonic - 5_000 } },
      },
      hour - 5_000,
    ],
    [
      'of a newborn that waited for the operator counts from when this process saw it',
      {
        metadata: { creationTimestamp: '2020-01-01T00:00:00Z' },
        memory: { generationSeen: { generation: 1, at: monotonic - 5_000 } },
      },
      hour - 5_000,
    ],
    [
      'not from a restart',
      { status: overdueStatus, memory: { generationSeen: { generation: 1, at: monotonic } } },
      -hour,
    ],
    [
      'not from an edit before the last',
      {
        status: overdueStatus,
        metadata: { generation: 3 },
        memory: { generationSeen: { generation: 2, at: monotonic } },
      },
      -hour,
    ],
    [
      'of a deletion counts from its beginning, also after a restart',
      { status: overdueStatus, deleting: true, held: true },
      hour - 5_000,
    ],
    ['is set by the user', { spec: { progressDeadlineSeconds: 60 }, status: busyStatus }, 0],
    [
      'is an hour where the spec is nonsense',
      { spec: { progressDeadlineSeconds: 'soon' }, status: busyStatus },
      hour - 60_000,
    ],
  ])('%s', (_name, how, expected) => {
    expect(at(how)).toBe(expected);
    expect(pastDeadline(concludedOf(outcomes.busy, how))).toBe(expected <= 0);
  });

  test('says what was asked for and what is in the way', () => {
    const said = find(applied(concludedOf(outcomes.dependency, { status: overdueStatus })), 'Stalled');
    expect(said?.message).toMatch(/3600 s.*keeps retrying.*waits for x/);
    const awaited = find(applied(concludedOf(outcomes.dependency, { status: overdueStatus })), 'DependenciesReady');
    expect(awaited).toMatchObject({ status: 'False', reason: 'DependencyNotReady' });
    expect(wall).toBeGreaterThan(0);
    expect(resourceOf().metadata.generation).toBe(1);
  });
});

describe('a poll that somebody asked for and that shows the object missing', () => {
  const asked = { status: readyStatus, metadata: { annotations: { [reconcileAnnotations[0]]: 'now' } } };

  test('counts as handled, and says what is missing in its own words', () => {
    const resource = applied(concludedOf(outcomes.missing, asked));
    expect(resource.status).toMatchObject({ lastHandledReconcileAt: 'now' });
    expect(find(resource, 'Ready')?.message).toBe(outcomes.missing.message);
  });

  test('goes on saying so until the next poll, which nobody asked for', () => {
    const { status } = applied(concludedOf(outcomes.missing, asked));
    const next = { ...asked, status: status as Readonly<Record<string, unknown>> };
    expect(applied(concludedOf(outcomes.missing, next)).status).toEqual(status);
  });
});

describe('the annotation that asks for another object', () => {
  const concluded = (recreate: string, status: object = {}, more: object = {}) =>
    concludedOf(outcomes.settled, {
      status: { ...readyStatus, ...status },
      ledger: ledgerOf([claimOf({ id: 'id-1' })]),
      remote: clusterRow(),
      metadata: {
        annotations: {
          [ledgerAnnotation]: serialiseLedger(ledgerOf([claimOf({ id: 'id-1' })])),
          [recreateAnnotation]: recreate,
        },
      },
      ...more,
    });
  const asking = (recreate: string, status: object = {}) =>
    find(applied(concluded(recreate, status)), 'Ready')?.message;

  test('with another value is said to be ignored, with the value that is expected', () => {
    expect(asking('yes')).toBe(
      'the service has what the spec asks for. The annotation dataprocessing.dev/recreate is ignored, because its value is yes and not id-1',
    );
    expect(asking('id-1')).toBe('the service has what the spec asks for');
  });

  test('is on record once it is acted on, and stays without effect and without a word', () => {
    expect(nextStatus(concluded('id-1'))).toMatchObject({ lastHandledRecreate: 'id-1' });
    const after = { lastHandledRecreate: 'id-0' };
    expect(asking('id-0', after)).toBe('the service has what the spec asks for');
    expect(nextStatus(concluded('id-0', after))).toMatchObject(after);
    expect(asking('yes', after)).toMatch(/is ignored/);
    expect(nextStatus(concluded('yes', after))).not.toHaveProperty('lastHandledRecreate');
  });

  test('shows nothing of the object that is gone', () => {
    const outcome = waiting('service', 'Provisioning', 'confirming that it is gone');
    const status = { externalStatus: 'Active', nodes: '3/3' };
    const shown = (recreate: string) =>
      nextStatus({ ...concluded(recreate, status, { remote: undefined }), outcome, remote: undefined });
    expect(shown('id-1')).not.toHaveProperty('externalStatus');
    expect(shown('other')).toMatchObject({ externalStatus: 'Active' });
  });
});

describe('a create that the service refuses for what the request contains', () => {
  const refusedAs = (code: string) => {
    const body = JSON.stringify({ error_code: 400, error_name: code, error_message: 'cannot use Pig job' });
    const request = { method: 'POST', path: '/v1.1/t/jobs' } as const;
    return outcomeOfError(classify(request, { phase: 'answered', status: 400, body }));
  };
  const stalledBy = (code: string, kind: Kind): string | undefined =>
    find(applied(concludedOf(refusedAs(code), { kind, spec: {}, status: { observedGeneration: -1 } })), 'Stalled')
      ?.reason;

  test('is Stalled at once: nothing that comes a moment later helps', () => {
    expect(stalledBy('INVALID_DATA', jobKind)).toBe('ExternalRejected');
  });

  test('other refusals count from the second one on, because something may not exist yet', () => {
    expect(stalledBy('INVALID_REFERENCE', jobKind)).toBeUndefined();
    expect(stalledBy('INVALID_DATA', clusterKind)).toBeUndefined();
  });
});
