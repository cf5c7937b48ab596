// The test of the tests: bugs that are planted in the product, one at a time, and the suite that must notice each.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { check } from '../exhaustive/check.ts';
import { type Collected, collected, collectFrom } from '../support/collected.ts';
import { writeReport } from '../support/reports.ts';
import { accessBugs } from './access-bugs.ts';
import { answerBugs } from './answer-bugs.ts';
import { autoscalingBugs } from './autoscaling-bugs.ts';
import type { Bug, Suite } from './bug.ts';
import { countBugs } from './count-bugs.ts';
import { disclosureBugs } from './disclosure-bugs.ts';
import { forgeryBugs } from './forgery-bugs.ts';
import { judgementBugs } from './judgement-bugs.ts';
import { lossBugs } from './loss-bugs.ts';
import { passBugs } from './pass-bugs.ts';
import { policyBugs } from './policy-bugs.ts';
import { protocolBugs } from './protocol-bugs.ts';
import { revisionBugs } from './revision-bugs.ts';
import { runBugs } from './run-bugs.ts';
import { sharingBugs } from './sharing-bugs.ts';

const { ground, plant } = await vi.hoisted(() => import('./ground.ts'));

vi.mock('../../src/operator/client/http/exchange.ts', ground('exchange'));
vi.mock('../../src/operator/client/limits.ts', ground('limits'));
vi.mock('../../src/operator/kube/access.ts', ground('access'));
vi.mock('../../src/operator/wiring/leadership.ts', ground('leadership'));
vi.mock('../../src/operator/kube/write/writes.ts', ground('writes'));
vi.mock('../../src/operator/reconcile/status/conditions.ts', ground('conditions'));
vi.mock('../../src/operator/reconcile/resource/facts.ts', ground('facts'));
vi.mock('../../src/operator/reconcile/ledger/ledger.ts', ground('ledger'));
vi.mock('../../src/operator/reconcile/ledger/edits.ts', ground('edits'));
vi.mock('../../src/operator/reconcile/ledger/name-origin.ts', ground('name-origin'));
vi.mock('../../src/operator/reconcile/ownership/claimants.ts', ground('claimants'));
vi.mock('../../src/operator/reconcile/lists/mass-deletion.ts', ground('mass-deletion'));
vi.mock('../../src/operator/reconcile/ledger/naming.ts', ground('naming'));
vi.mock('../../src/operator/reconcile/plan/preconditions.ts', ground('preconditions'));
vi.mock('../../src/operator/reconcile/outcome.ts', ground('outcome'));
vi.mock('../../src/operator/reconcile/ownership/ownership.ts', ground('ownership'));
vi.mock('../../src/operator/reconcile/key-memory.ts', ground('key-memory'));
vi.mock('../../src/operator/reconcile/pass.ts', ground('pass'));
vi.mock('../../src/operator/reconcile/plan/plan.ts', ground('plan'));
vi.mock('../../src/operator/reconcile/plan/plan-adoption.ts', ground('plan-adoption'));
vi.mock('../../src/operator/reconcile/plan/planned-write.ts', ground('planned-write'));
vi.mock('../../src/operator/reconcile/plan/policy.ts', ground('policy'));
vi.mock('../../src/operator/reconcile/resource/sharing.ts', ground('sharing'));
vi.mock('../../src/operator/reconcile/plan/runs/run-start.ts', ground('run-start'));
vi.mock('../../src/operator/reconcile/refused-run.ts', ground('refused-run'));
vi.mock('../../src/operator/reconcile/plan/change-tries.ts', ground('change-tries'));
vi.mock('../../src/operator/reconcile/protocol/protocol.ts', ground('protocol'));
vi.mock('../../src/operator/reconcile/resource/references.ts', ground('references'));
vi.mock('../../src/operator/kinds/cluster/autoscale.ts', ground('autoscale'));
vi.mock('../../src/operator/node-groups/leaving.ts', ground('leaving'));
vi.mock('../../src/operator/reconcile/resource/scalers.ts', ground('scalers'));
vi.mock('../../src/operator/reconcile/resource/scheduled.ts', ground('scheduled'));
vi.mock('../../src/operator/reconcile/status/status.ts', ground('status'));
vi.mock('../../src/operator/reconcile/requeue.ts', ground('requeue'));
vi.mock('../../src/operator/reconcile/status/write-policy.ts', ground('write-policy'));
vi.mock('../../src/wire/cluster-info.ts', ground('cluster-info'));
vi.mock('../../src/wire/errors/table.ts', ground('table'));
vi.mock('../../src/wire/errors/redaction.ts', ground('redaction'));

const bugs: readonly Bug[] = [
  ...protocolBugs,
  ...revisionBugs,
  ...runBugs,
  ...sharingBugs,
  ...policyBugs,
  ...passBugs,
  ...judgementBugs,
  ...lossBugs,
  ...forgeryBugs,
  ...countBugs,
  ...autoscalingBugs,
  ...accessBugs,
  ...answerBugs,
  ...disclosureBugs,
];
type Tests = Extract<Suite, { tests: string }>;
const suites = [
  ...new Map(bugs.flatMap(({ suite }) => ('tests' in suite ? [[suite.tests, suite] as const] : []))).values(),
];
const files = suites.map(({ tests }) => tests);

/** The tests of a suite until one fails: its name. */
async function failing(suite: Tests): Promise<string | undefined> {
  for (const one of testsOf(suite))
    try {
      await one.run();
    } catch {
      return one.name;
    }
  return undefined;
}

function testsOf({ tests, only = '' }: Tests): readonly Collected[] {
  return collected.filter(({ file, name }) => file === tests && name.includes(only));
}

// The smallest example of a bug that is known is of no use.
fc.configureGlobal({ endOnFailure: true });

beforeAll(async () => {
  for (const file of files) {
    collectFrom(file);
    await import(/* @vite-ignore */ `../${file}.test.ts?collected`);
  }
});

test.each(suites.map((suite) => [suite.tests, suite] as const))(
  'nothing fails in %s without a bug',
  async (_file, suite) => {
    plant({});
    expect(testsOf(suite).length).toBeGreaterThan(0);
    expect(await failing(suite)).toBeUndefined();
  },
);

describe('is caught:', () => {
  let caught = 0;

  test.each(bugs.map((bug) => [bug.name, bug] as const))('%s', async (_name, bug) => {
    plant(bug.plant);
    if ('world' in bug.suite) {
      const { world, ends = 0 } = bug.suite;
      const { counterexample, stuck } = await check({ kind: 'cluster', ...world }, ends);
      expect(ends > 0 ? stuck : counterexample?.broken).toMatch(new RegExp(`^${bug.breaks}: `));
    } else expect(await failing(bug.suite)).toBeDefined();
    caught += 1;
  });

  afterAll(() => {
    plant({});
    writeReport('planted', { caught, planted: bugs.length });
    console.info(`${caught} of ${bugs.length} planted bugs were caught`);
  });
});
