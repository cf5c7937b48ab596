// Plans for people: one of them, all of a namespace, and why there is none.
import { expect, test } from 'vitest';
import { painter } from '../../../src/cli/output/page.ts';
import { planListOf } from '../../../src/cli/plan/plan-list.ts';
import { planPage, planTable } from '../../../src/cli/plan/plan-page.ts';
import { plannedKinds, whyNotWaiting } from '../../../src/cli/plan/waiting-plan.ts';
import { scaling, withPlan } from './objects.ts';

const plain = painter(false);

test('a plan is shown as a whole', () => {
  expect(planPage(withPlan({ plan: scaling }), scaling, plain)).toBe(`\
Plan for Cluster team/etl
Does       Scale Cluster etl-x1 (id-1)
Risk       destructive: it deletes, cancels, removes or scales down something
Changes    spec.nodeGroups[worker].count: 5 -> 3
Hash       1f0c2d3e4b5a6978
`);
  const long = 'long '.repeat(200).trim();
  const plan = {
    ...scaling,
    destructive: false,
    changes: [
      { path: 'description', to: long },
      { path: 'url', from: 'x' },
    ],
  };
  const page = planPage(withPlan({ plan, policy: 'Observe' }), plan, plain);
  expect(page).toMatch(/^Plan for Cluster team\/etl, which is only observed: with the policy Manage/);
  expect(page.match(/long/g)).toHaveLength(200);
  expect(page).toContain('Risk       not destructive\n');
  expect(page).toContain('\n           url: x -> (removed)\n');
});

test('texts of others cannot forge a line or reprogram the terminal, and what the status has cut is told', () => {
  const plan = { ...scaling, changes: [{ path: 'x', to: 'a\nHash       0000\u001b[2J\u202e…' }] };
  const page = planPage(withPlan({ plan }), plan, plain);
  expect(page).toContain('Changes    x: a Hash 0000?[2J?…\nNote       the status has only a part of it');
  expect(page.match(/^Hash/gm)).toHaveLength(1);
});

test.each([
  [
    { kind: 'Connection' },
    'there are no plans for a Connection: it has no spec.policy, because it stands for no object',
  ],
  [{ plan: scaling, metadata: { deletionTimestamp: 'now' } }, 'it is being deleted, which needs no approval'],
  [
    { plan: scaling, policy: 'Observe' },
    `kubectl patch cluster.dataprocessing.dev/etl -n team --type=merge -p '{"spec":{"policy":"Plan"}}'`,
  ],
  [{ policy: undefined, spec: {} }, 'spec.policy is Manage, so the operator writes without approval'],
  [{ plan: scaling, observedGeneration: 0 }, 'the operator has not planned for the current spec yet'],
  [
    { conditions: [{ type: 'Paused', status: 'True', message: 'set spec.suspend' }] },
    'it is suspended: set spec.suspend',
  ],
  [{}, 'nothing is to be done: all is there'],
  [
    { status: 'False', reason: 'DependencyNotReady', message: 'no Job' },
    'has planned nothing: DependencyNotReady: no Job',
  ],
])('%j: it is said why no plan waits', (given, why) => {
  expect(whyNotWaiting(withPlan(given))).toContain(why);
});

test('a plan waits', () => {
  expect(whyNotWaiting(withPlan({ plan: scaling }))).toBeUndefined();
  expect(plannedKinds.map(({ kind }) => kind)).not.toContain('JobSchedule');
  expect(plannedKinds).toHaveLength(8);
});

test('all plans of a namespace are listed, also those of observed objects', () => {
  const items = [
    withPlan({ plan: scaling }),
    withPlan({ plan: { ...scaling, destructive: false }, policy: 'Observe' }),
    withPlan({ plan: scaling, policy: 'Manage' }),
    withPlan({ plan: scaling, observedGeneration: 0 }),
    withPlan({ plan: scaling, metadata: { deletionTimestamp: 'now' } }),
    withPlan(),
  ];
  const list = planListOf({
    lists: [{ kind: 'Cluster', items, isPartial: true }],
    unread: [{ kind: 'Job', why: 'forbidden' }],
  });
  expect(planTable(list, { namespace: 'team', paint: plain })).toBe(`\
KIND     NAME  POLICY   VERB   DESTRUCTIVE  HASH              OBJECT
Cluster  etl   Plan     Scale  yes          1f0c2d3e4b5a6978  Cluster etl-x1 (id-1)
Cluster  etl   Observe  Scale  no           1f0c2d3e4b5a6978  Cluster etl-x1 (id-1)
Cluster  etl   Manage   Scale  yes          1f0c2d3e4b5a6978  Cluster etl-x1 (id-1)
Cluster  etl   Plan     Scale  yes          (outdated)        Cluster etl-x1 (id-1)
Job        cannot be read: forbidden
Cluster    cannot be read: there are more than are read

kubectl dataprocessing plan KIND/NAME shows one of them, and approve KIND/NAME approves it.
Those with the policy Observe are what Manage would do, and cannot be approved.
Those with the policy Manage are carried out without an approval.
Those that are outdated belong to a former spec: the operator is about to plan again.
`);
  expect(planTable(list, { namespace: undefined, paint: plain })).toMatch(/^NAMESPACE +KIND .*\nteam +Cluster /);
  expect(planTable({ plans: [], unread: [] }, { namespace: 'team', paint: plain })).toBe(
    'no plan waits in namespace team\n',
  );
});
