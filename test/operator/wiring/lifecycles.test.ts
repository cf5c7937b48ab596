// Which changes of runs wake the Cluster that they are on.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { type Key, keyOf, keyText, type ResourceChange } from '../../../src/operator/reconcile/pass-ports.ts';
import { isRunOn } from '../../../src/operator/reconcile/resource/runs-on.ts';
import { createUseWaker } from '../../../src/operator/wiring/lifecycles.ts';
import { clusterSpec, conditionsAs, resourceOf, wall } from '../reconcile/support.ts';

const run = (spec: object, status: Readonly<Record<string, unknown>> = {}): RawResource =>
  resourceOf({ kind: jobExecutionKind, spec, metadata: { name: 'run' }, status });
const onEtl = { clusterRef: { name: 'etl' } };
const ended = { conditions: conditionsAs(1, wall, [['Complete', 'True', 'Succeeded']]) };
const running = { conditions: conditionsAs(1, wall, [['Ready', 'False', 'Running']]) };
const lifecycle = { idleDeleteAfterSeconds: 600 };

function woken(
  previous: RawResource | undefined,
  current: RawResource | undefined,
  cluster: object,
): readonly string[] {
  const keys: Key[] = [];
  const read = (key: Key) => (key.name === 'etl' ? resourceOf({ spec: cluster }) : undefined);
  const object = current ?? previous;
  if (!object) throw new Error('nothing changed');
  const change: ResourceChange = { key: keyOf(object), previous, current, initial: false };
  createUseWaker(read, (key) => keys.push(key))(change);
  return keys.map(keyText);
}

const etl = ['Cluster/team-a/etl'];
test.each<readonly [string, RawResource | undefined, RawResource | undefined, readonly string[]]>([
  ['appears', undefined, run(onEtl), etl],
  ['makes progress', run(onEtl), run(onEtl, running), []],
  ['ends', run(onEtl, running), run(onEtl, ended), etl],
  ['is gone', run(onEtl, ended), undefined, etl],
  ['is on another cluster', undefined, run({ clusterRef: { name: 'other' } }), []],
  ['names no cluster', undefined, run({}), []],
])('a run that %s', (_what, previous, current, expected) => {
  expect(woken(previous, current, { ...clusterSpec, lifecycle })).toEqual(expected);
});

test('a Cluster without a lifecycle is left alone', () => {
  expect(woken(undefined, run(onEtl), clusterSpec)).toEqual([]);
});

const uuid = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
test.each<readonly [string, object, boolean]>([
  ['by its name', onEtl, true],
  ['by its id', { clusterID: uuid }, true],
  ['by its id without hyphens', { clusterID: uuid.replaceAll('-', '').toUpperCase() }, true],
  ['by another id', { clusterID: uuid.replace('2', '3') }, false],
  ['by another name', { clusterRef: { name: 'other' } }, false],
  ['not at all', { clusterRef: null, clusterID: 7 }, false],
])('a run names its cluster %s', (_what, spec, expected) => {
  expect(isRunOn(run(spec), { name: 'etl', id: uuid })).toBe(expected);
});
