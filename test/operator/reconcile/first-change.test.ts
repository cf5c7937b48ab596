// The first change of what was adopted: told by one pass, and carried out by the next one.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { imageRegistrationKind } from '../../../src/operator/kinds/image-registration/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { contentHash } from '../../../src/operator/reconcile/ledger/naming.ts';
import type { Outcome } from '../../../src/operator/reconcile/outcome.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, type PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { plan } from '../../../src/operator/reconcile/plan/plan.ts';
import { firstChange } from '../../../src/operator/reconcile/protocol/first-change.ts';
import type { Cluster } from '../../../src/wire/cluster.ts';
import { ManualClock } from '../../support/clock.ts';
import { aloneWith } from './running.ts';
import {
  claimOf,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  image,
  iso,
  ledgerOf,
  resourceOf,
  type SituationOptions,
  situationOf,
  templateSpec,
  usable,
  viewOf,
  wall,
} from './support.ts';

const adopted = ledgerOf([claimOf({ id: 'id-1', origin: 'adopted' })], { adopted: 'id-1' });
const smaller = clusterRow({ node_groups: groups({ master: 1, worker: 1 }) });
const differing = { ledger: adopted, rows: [smaller] } as const;

type Told = Extract<Outcome, { result: 'progressed' }>;

function stepOf(options: SituationOptions) {
  const input = situationOf(options);
  const step = firstChange(input, plan(input));
  return step.action === 'none' ? step.outcome : step;
}

/** The step once the status has the plan that this one tells. */
function afterTelling(options: SituationOptions) {
  const { plan: told } = stepOf(options) as Told;
  expect(told?.hash).toMatch(/^\w{16}$/);
  return stepOf({ ...options, status: { observedGeneration: 1, plan: told } });
}

describe('the first change of an adopted object', () => {
  test('is told before it is carried out, as work in progress that nobody has to approve', () => {
    expect(stepOf(differing)).toMatchObject({
      result: 'progressed',
      reason: 'Scaling',
      message: expect.stringMatching(
        /^the operator is about to scale Cluster .+ \(worker from 1 to 2\), which is the first change since the adoption\. It is carried out now, without an approval; see status\.plan$/,
      ),
      plan: { verb: 'Scale', changes: [{ path: 'spec.nodeGroups[worker].count', from: '1', to: '2' }] },
    });
  });

  test('is carried out once the status has just this plan, and the ledger says so with its intent', () => {
    expect(afterTelling(differing)).toMatchObject({
      action: 'update',
      ledger: { adopted: 'id-1', changed: true, change: { target: { worker: 2 } } },
    });
    const another = { hash: 'another', verb: 'Scale', object: 'Cluster etl', destructive: false };
    expect(stepOf({ ...differing, status: { observedGeneration: 1, plan: another } })).toMatchObject({
      result: 'progressed',
    });
  });

  test('tells what somebody else changed as drift', () => {
    const conditions = conditionsAs(1, wall, [['Ready', 'True', 'Available']]);
    expect(stepOf({ ...differing, status: { observedGeneration: 1, conditions } })).toMatchObject({
      result: 'progressed',
      reason: 'CorrectingDrift',
      drift: [{ want: '2', have: '1' }],
    });
  });

  test.each<readonly [string, Partial<Ledger>]>([
    ['it was changed before', { changed: true }],
    ['a change of it is on record', { change: { generation: 1, target: { worker: 3 }, sentAt: iso(wall), tries: 1 } }],
    ['the resource made it', { claims: [claimOf({ id: 'id-1' })], adopted: undefined }],
  ])('is carried out at once where %s', (_what, changes) => {
    expect(stepOf({ ...differing, ledger: { ...adopted, ...changes } })).toMatchObject({ action: 'update' });
  });

  test('of an image that was registered before is told with all requests that it takes, and recorded with the first', () => {
    const claim = claimOf({ collection: 'images', name: image, id: image, origin: 'preexisting' });
    const rows = [{ id: image, name: 'ubuntu', username: 'root', tags: ['theirs'] }];
    const spec = { imageID: image, username: 'ubuntu', tags: ['vanilla'] };
    const given = { kind: imageRegistrationKind, spec, rows, ledger: ledgerOf([claim]) };
    expect(stepOf(given)).toMatchObject({
      result: 'progressed',
      message: expect.stringContaining('(username from "root" to "ubuntu", tags from [theirs] to [vanilla])'),
      plan: { verb: 'Update', destructive: true, changes: [{ path: 'spec.username' }, { path: 'spec.tags' }] },
    });
    expect(afterTelling(given)).toMatchObject({
      action: 'update',
      change: { request: 'register' },
      ledger: { changed: true },
    });
    const ours = ledgerOf([{ ...claim, origin: undefined }]);
    expect(stepOf({ ...given, ledger: ours })).toMatchObject({ action: 'update' });
  });

  test('is not held by other policies, which tell each plan, nor by a deletion', () => {
    expect(stepOf({ ...differing, spec: { ...clusterSpec, policy: 'Plan' } })).toMatchObject({ result: 'held' });
    expect(stepOf({ ...differing, spec: { ...clusterSpec, suspend: true } })).toMatchObject({ result: 'held' });
    const spec = { ...clusterSpec, deletionPolicy: 'Delete' };
    expect(stepOf({ ...differing, spec, deleting: true })).toMatchObject({ action: 'delete' });
  });

  test('is on record before another object is made in its place, so that it is not told again if that is refused', () => {
    const kind = nodeGroupTemplateKind;
    const hash = contentHash(kind.content({ ...templateSpec, flavorID: '4' }, String));
    const claim = claimOf({ collection: 'node-group-templates', name: 'by-hand', id: 'id-1', hash, origin: 'adopted' });
    const spec = { ...templateSpec, adopt: { name: 'by-hand' } };
    const given = { kind, spec, rows: [{ id: 'id-1', name: 'by-hand' }], referencedIds: new Set<string>() };
    const ledger = ledgerOf([claim], { adopted: 'id-1' });
    expect(stepOf({ ...given, ledger })).toMatchObject({
      result: 'progressed',
      reason: 'Provisioning',
      plan: { verb: 'Create' },
    });
    expect(afterTelling({ ...given, ledger })).toEqual({
      action: 'write-ledger',
      write: 'record',
      ledger: { ...ledger, changed: true },
      report: { outcome: { result: 'requeue' } },
    });
    expect(stepOf({ ...given, ledger: { ...ledger, changed: true } })).toMatchObject({ action: 'create' });
  });
});

/** One process over one Cluster. What it does is written down in order. */
function processOver(first: RawResource) {
  const done: string[] = [];
  const silent = () => undefined;
  const none = () => [];
  let resource = first;
  let row: Cluster = smaller;
  const clock = new ManualClock();
  const service = {
    budget: {
      limits: { requestsPerSecond: Number.POSITIVE_INFINITY },
      take: async () => ({ signal: undefined, release: silent }),
    },
    inventory: { observe: async () => viewOf([row], { listSentAt: clock.monotonic() }), age: () => 0 },
    scaleCluster: async () => {
      done.push('sent');
      row = clusterRow();
      return row;
    },
  } as unknown as Service;
  const ports = {
    store: {
      read: () => resource,
      list: none,
      synced: () => true,
      claim: async (_before: RawResource, ledger: string) => {
        const annotations = { [ledgerAnnotation]: ledger };
        resource = { ...resource, metadata: { ...resource.metadata, annotations, finalizers: [finalizer] } };
        return resource;
      },
      writeStatus: async (_before: RawResource, status: Record<string, unknown>) => {
        const ready = (status['conditions'] as { type: string; status: string; reason: string }[]).find(
          ({ type }) => type === 'Ready',
        );
        done.push(`status ${ready?.status} ${ready?.reason}${status['plan'] ? ' with a plan' : ''}`);
        resource = { ...resource, status };
        return resource;
      },
    },
    services: { lookup: () => usable({ service }) },
    clock,
    ...aloneWith([clusterKind]),
    events: { emit: ({ reason, note }: { reason: string; note: string }) => done.push(`event ${reason}: ${note}`) },
  } as unknown as PassPorts;
  const run = createPass(ports);
  const context = { signal: new AbortController().signal, pollMs: 1_000 };
  return { done, pass: async () => (await run(keyOf(first), context)).next };
}

test('a pass tells it, with an event, and the next one, which follows at once, sends it', async () => {
  const { done, pass } = processOver(resourceOf({ ledger: adopted, status: { observedGeneration: 1 } }));
  expect(await pass()).toBe('again');
  expect(done).toEqual([
    'status False Scaling with a plan',
    expect.stringMatching(/^event Adopted: /),
    expect.stringMatching(
      /^event PlanPending: the operator is about to scale .+ without an approval; see status\.plan$/,
    ),
  ]);
  done.length = 0;
  await pass();
  expect(done).toEqual(['sent', 'status False Scaling', expect.stringMatching(/^event Scaling: /)]);
});
