// In which order Clusters behind a SharedConnection get the room that there is: the oldest first, whatever this process looks at first.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { Quotas } from '../../../../src/operator/reconcile/execute/quota.ts';
import { keyOf } from '../../../../src/operator/reconcile/pass-ports.ts';
import type { PassState } from '../../../../src/operator/reconcile/pass-state.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { readResource } from '../../../../src/operator/reconcile/resource/facts.ts';
import {
  claimOf,
  clusterSpec,
  installation,
  iso,
  ledgerOf,
  type ResourceOptions,
  resourceOf,
  wall,
} from '../support.ts';

const connectionRef = { kind: 'SharedConnection', name: 'platform' };
const spec = { ...clusterSpec, connectionRef };
const plan = { action: 'create', ledger: ledgerOf([]) } as unknown as Plan;
const refused = { action: 'none', outcome: { result: 'refused', reason: 'QuotaExceeded' } };
const notItsTurn = { action: 'none', outcome: { result: 'requeue', afterMs: 1_000 } };

/** Created so many minutes ago. */
const clusterOf = (name: string, age: number, options: ResourceOptions = {}): RawResource =>
  resourceOf({
    spec,
    ...options,
    metadata: { name, uid: name, creationTimestamp: iso(wall - age * 60_000), ...options.metadata },
  });

/** A process of the operator that has just started, with these objects in its cache. */
function processOf(limits: object | undefined, resources: readonly RawResource[], inTurn?: boolean) {
  const shared = resourceOf({ spec: { ...(limits && { limits }) } });
  const store = { read: () => shared, list: (kind: string) => (kind === 'Cluster' ? resources : []) };
  const quotas = new Quotas({ store, installation } as never, inTurn === undefined ? {} : { inTurn });
  const passOf = (name: string): PassState => {
    const resource = resources.find(({ metadata }) => metadata.name === name) as RawResource;
    const facts = readResource(clusterKind, resource, installation);
    return { kind: clusterKind, resource, facts } as PassState;
  };
  return {
    quotas,
    admit: (name: string) => quotas.admit(passOf(name), plan),
    /** Its pass ends, with something else than another pass. */
    saw: (name: string) => {
      quotas.release(keyOf(passOf(name).resource));
      quotas.saw(passOf(name));
    },
    forget: (name: string) => quotas.forget(keyOf(passOf(name).resource)),
  };
}

const [older, younger] = [clusterOf('z', 20), clusterOf('a', 10)];
const one = { maxClusters: 1 };

describe('where there is room for one of two that wait', () => {
  test('the oldest gets it after a restart, although another one is looked at first', () => {
    const { admit } = processOf(one, [younger, older]);
    expect(admit('a')).toEqual(notItsTurn);
    expect(admit('z')).toBe(plan);
    expect(admit('a')).toMatchObject(refused);
  });

  test('the younger one goes on once the older one turned out not to want it', () => {
    const { admit, saw } = processOf(one, [younger, older]);
    saw('z');
    expect(admit('a')).toBe(plan);
  });

  test('one that was refused before is still the first', () => {
    const having = clusterOf('having', 30, { ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'having' }) });
    const full = processOf(one, [younger, older, having]);
    expect(full.admit('z')).toMatchObject(refused);
    full.saw('z');
    expect(full.admit('a')).toMatchObject(refused);
  });

  test('the oldest gets it by the number of nodes, too', () => {
    const { admit, saw } = processOf({ maxNodes: 5 }, [younger, older]);
    expect(admit('a')).toEqual(notItsTurn);
    expect(admit('z')).toBe(plan);
    saw('z');
  });
});

describe('nobody waits for', () => {
  const existing = { ledger: ledgerOf([claimOf({ id: 'id-1' })], { uid: 'z' }) };
  test.each<readonly [string, object | undefined, RawResource]>([
    ['a younger one', { maxClusters: 2 }, clusterOf('z', 5)],
    ['one that is being deleted', { maxClusters: 2 }, clusterOf('z', 20, { deleting: true })],
    ['one that has its cluster, and counts', { maxClusters: 2 }, clusterOf('z', 20, existing)],
    ['one behind another connection', { maxClusters: 1 }, clusterOf('z', 20, { spec: clusterSpec })],
    ['an older one without limits', undefined, older],
  ])('%s', (_name, limits, other) => {
    expect(processOf(limits, [younger, other]).admit('a')).toBe(plan);
  });

  test('an older one that is not previewed', () => {
    expect(processOf(one, [younger, older], false).admit('a')).toBe(plan);
  });
});

test('an object of the same name that is made again is looked at again', () => {
  const { admit, saw, forget } = processOf(one, [younger, older]);
  saw('z');
  forget('z');
  expect(admit('a')).toEqual(notItsTurn);
});
