// Plan and protocol together against a model of the service: random faults, crashes and deletions never leak or double anything.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { health } from '../../../../src/operator/kinds/cluster/mapping.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { currentClaim, openAttempts } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { leftoverClaims } from '../../../../src/operator/reconcile/ledger/revision-history.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import { clusterSpec, quarantineMs, templateSpec } from '../support.ts';
import { Model } from './model.ts';
import { Choices } from './model-service.ts';

const choices = fc.array(fc.nat(99), { minLength: 0, maxLength: 400, size: 'max' });
const runs = { numRuns: 200 };
const minute = 60_000;
const pauses = [1_000, 10_000, 31_000, 2 * minute, 16 * minute] as const;

const withWorkers = (count: number) => ({
  ...clusterSpec,
  nodeGroups: [clusterSpec.nodeGroups[0], { ...clusterSpec.nodeGroups[1], count }],
});

/** Passes while things go wrong, with pauses and edits between them. */
function misbehave(model: Model, drawn: Choices, edit: (choice: number) => void = () => {}): void {
  for (let passes = 0; passes < 60 && !drawn.exhausted; passes += 1) {
    model.pass();
    if (drawn.happens(6)) edit(drawn.next());
    if (drawn.happens(10)) model.othersRefer();
    if (drawn.happens(10)) model.othersLetGo();
    if (drawn.happens(8)) model.strangerComes();
    if (drawn.happens(20)) model.strangerGoes();
    model.advance(pauses[drawn.next() % pauses.length] ?? 1_000);
  }
  drawn.end();
}

/** Passes while nothing goes wrong any more. */
function calmDown(model: Model): unknown {
  model.othersLetGo();
  model.strangerGoes();
  model.advance(quarantineMs);
  let last: unknown;
  for (let passes = 0; passes < 40; passes += 1) {
    last = model.pass();
    model.advance(31_000);
  }
  return last;
}

const namedSpec = { ...clusterSpec, name: 'nightly' };

describe.each([
  ['a cluster', clusterKind, clusterSpec],
  ['a cluster whose name is fixed, and wanted by a stranger, too', clusterKind, namedSpec],
  ['a template, whose name is not unique in the service', nodeGroupTemplateKind, templateSpec],
] as const)('%s', (_name, kind, spec) => {
  const edited = (choice: number) =>
    kind === clusterKind ? { ...spec, ...withWorkers(choice % 5) } : { ...templateSpec, flavorID: String(choice % 3) };

  test('settles as one object whose id is recorded', () => {
    fc.assert(
      fc.property(choices, (drawn) => {
        const luck = new Choices(drawn);
        const model = new Model(kind, spec, luck);
        misbehave(model, luck, (choice) => model.userEdits(edited(choice)));
        const wasDeleted = model.resource?.metadata.deletionTimestamp !== undefined || !model.resource;
        const last = calmDown(model);
        expect(model.violations).toEqual([]);
        if (wasDeleted) {
          expect([model.resource, model.ownRows]).toEqual([undefined, []]);
          return;
        }
        expect(model.ownRows.map((row) => row.id)).toEqual([currentClaim(model.ledger)?.id]);
        // A row in Error whose refusal was lost with our process may be a cluster that was taken: it is reported.
        if (health(model.ownRows[0] as Cluster).state === 'failed') {
          expect(last).toMatchObject({ result: 'refused', reason: 'ExternalError' });
          return;
        }
        expect(last).toEqual({ result: 'settled' });
        expect(model.ledger?.change).toBeUndefined();
        expect(leftoverClaims(model.ledger)).toEqual([]);
      }),
      runs,
    );
  });

  test('deleted at any time, also with revisions, it leaves nothing, and goes only then', () => {
    fc.assert(
      fc.property(choices, fc.nat(8), (drawn, early) => {
        const luck = new Choices(drawn);
        const model = new Model(kind, spec, luck);
        for (let passes = 0; passes < early; passes += 1) {
          model.pass();
          if (luck.happens(30)) model.userEdits(edited(luck.next()));
          model.advance(1_000);
        }
        model.userDeletes();
        misbehave(model, luck);
        calmDown(model);
        model.advance(2 * quarantineMs);
        expect(model.violations).toEqual([]);
        expect([model.resource, model.ownRows, model.service.latePending]).toEqual([undefined, [], 0]);
        expect([model.templates.rows, model.templates.latePending]).toEqual([[], 0]);
      }),
      runs,
    );
  });
});

test('without faults: one create, one record, settled', () => {
  const model = new Model(clusterKind, clusterSpec, new Choices([]));
  expect(model.pass()).toMatchObject({ result: 'progressed' });
  expect(model.pass()).toEqual({ result: 'settled' });
  expect(openAttempts(currentClaim(model.ledger))).toBe(0);
  model.userEdits(withWorkers(5));
  expect(model.pass()).toMatchObject({ result: 'waiting', reason: 'Scaling' });
  model.pass();
  expect(model.pass()).toEqual({ result: 'settled' });
  expect(model.service.rows[0]?.node_groups).toContainEqual({ name: 'worker', count: 5 });
});

test('without faults, an edit of a template: the former one stays while it is referred to, and nothing is ever missing', () => {
  const model = new Model(nodeGroupTemplateKind, templateSpec, new Choices([]));
  for (let passes = 0; passes < 3; passes += 1) model.pass();
  const [before] = model.ownRows;
  model.userEdits({ ...templateSpec, flavorID: '9' });
  model.othersRefer();
  for (let passes = 0; passes < 9; passes += 1) {
    model.pass();
    model.advance(31_000);
    expect(model.ownRows.map(({ id }) => id)).toContain(currentClaim(model.ledger)?.id);
  }
  expect(model.ownRows).toHaveLength(2);
  model.othersLetGo();
  for (let passes = 0; passes < 9; passes += 1) {
    model.pass();
    model.advance(31_000);
  }
  expect(model.ownRows.map(({ id }) => id)).toEqual([currentClaim(model.ledger)?.id]);
  expect(model.ownRows).not.toContainEqual(before);
  expect(model.violations).toEqual([]);
});
