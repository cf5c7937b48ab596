// What a suspended resource holds back, and what it does not.
import { describe, expect, test } from 'vitest';
import { approvePlanAnnotation, ledgerAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { dataSourceKind } from '../../../../src/operator/kinds/data-source/index.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { jobBinaryKind } from '../../../../src/operator/kinds/job-binary/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { closeChange, countChange } from '../../../../src/operator/reconcile/ledger/edits.ts';
import type { Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { contentHash } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { digestOf } from '../../../../src/operator/reconcile/resource/secret-values.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  image,
  iso,
  ledgerOf,
  resourceOf,
  revisionNamed,
  type SituationOptions,
  situationOf,
  templateSpec,
  uid,
  wall,
} from '../support.ts';
import { adopts, planOf } from './matchers.ts';

const ready = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };

const suspended = { ...clusterSpec, suspend: true };
const recorded = ledgerOf([claimOf({ id: 'id-1' })]);
const held = (doing: string) => ({
  result: 'held',
  message: `suspended: the operator does not ${doing} until spec.suspend is false`,
});
describe('a suspended Cluster', () => {
  test('is not created', () => {
    expect(planOf({ spec: suspended })).toEqual(held(`create Cluster ${clusterName}`));
  });

  test('gets the id of what a lost answer left', () => {
    const open = ledgerOf([claimOf(attempts(1))]);
    expect(planOf({ spec: suspended, ledger: open, rows: [clusterRow({ id: 'id-9' })] })).toMatchObject(adopts('id-9'));
  });

  test('is not scaled, and what another client changed is named', () => {
    const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };
    const scaled = clusterRow({ node_groups: groups({ master: 1, worker: 3 }) });
    expect(planOf({ spec: suspended, ledger: recorded, rows: [scaled], status })).toMatchObject({
      result: 'held',
      message: expect.stringMatching(/^suspended: the operator does not scale Cluster .*\(worker from 3 to 2\)/),
      drift: [{ want: '2', have: '3', fixable: true }],
    });
  });

  test('is settled where nothing differs', () => {
    expect(planOf({ spec: suspended, ledger: recorded, rows: [clusterRow()] })).toEqual({ result: 'settled' });
  });

  test('is deleted', () => {
    const plan = planOf({ spec: suspended, ledger: recorded, rows: [clusterRow()], deleting: true });
    expect(plan).toMatchObject({ action: 'delete' });
  });
});

describe('a suspended template', () => {
  const kind = nodeGroupTemplateKind;
  const spec = { ...templateSpec, suspend: true };
  const hash = contentHash(kind.content(templateSpec, String));
  const current = claimOf({ role: 'revision', collection: 'node-group-templates', id: 'id-1', hash });
  const former = { ...current, name: revisionNamed('former'), id: 'id-0', hash: 'former' };
  const rows = [former, current].map(({ id = '', name }) => ({ id, name }));
  const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };

  test('keeps its old revisions', () => {
    const given = { kind, ledger: ledgerOf([former, current]), rows, referencedIds: new Set<string>(), status };
    expect(planOf({ ...given, spec: templateSpec })).toMatchObject({ action: 'collect', claims: [former] });
    expect(planOf({ ...given, spec })).toEqual({ result: 'settled' });
  });

  test('does not use one of them again', () => {
    const given = { kind, ledger: ledgerOf([current, former]), rows, referencedIds: new Set<string>() };
    expect(planOf({ ...given, spec: templateSpec })).toMatchObject({ action: 'collect', claims: [current] });
    expect(planOf({ ...given, spec })).toEqual(held('use an old revision again'));
  });
});

describe('a plan', () => {
  const spec = { ...clusterSpec, policy: 'Plan' };
  const scaled = clusterRow({ node_groups: groups({ master: 1, worker: 3 }) });
  const drifted = { spec, ledger: recorded, rows: [scaled], status: ready };
  const hashOf = (options: Parameters<typeof planOf>[0]): string => {
    const planned = planOf(options);
    return ('plan' in planned && planned.plan?.hash) || 'none';
  };

  test('tells what is sent', () => {
    expect(planOf(drifted)).toMatchObject({
      result: 'held',
      plan: {
        verb: 'Scale',
        object: `Cluster ${clusterName} (id-1)`,
        destructive: true,
        changes: [{ from: '3', to: '2' }],
      },
    });
  });

  test('is carried out by its own hash alone, and counted', () => {
    const annotated = (hash: string) => ({
      ...drifted,
      metadata: { annotations: { [ledgerAnnotation]: JSON.stringify(recorded), [approvePlanAnnotation]: hash } },
      held: true,
    });
    expect(planOf(annotated(hashOf(drifted)))).toMatchObject({ action: 'update', ledger: { plans: 0 } });
    expect(planOf(annotated('another'))).toMatchObject({ result: 'held' });
  });

  const approving = (approval: string, changes: Partial<Ledger> = {}, more: SituationOptions = {}) => {
    const annotations = { [ledgerAnnotation]: JSON.stringify({ ...recorded, ...changes }) };
    return planOf({
      ...drifted,
      ...more,
      metadata: { annotations: { ...annotations, [approvePlanAnnotation]: approval } },
      held: true,
    });
  };

  test('says which approval is ignored, unless that was used', () => {
    const ignored = `The annotation ${approvePlanAnnotation} is ignored, because its value is old and not the hash of this plan`;
    const told = {
      ignored,
      message: expect.stringMatching(new RegExp(`status\\.plan\\. ${ignored}\\. To approve it: .+=\\w+$`)),
    };
    expect(approving('old')).toMatchObject(told);
    expect(approving('old', { plans: 1, approval: { hash: 'older', plans: 0 } })).toMatchObject(told);
    expect(approving('old', { plans: 1, approval: { hash: 'old', plans: 1 } }), 'not carried out').toMatchObject(told);
    for (const used of [{ hash: 'old', plans: 0 }, { hash: 'old' }])
      expect(approving('old', { plans: 1, approval: used })).toMatchObject({ ignored: undefined });
    expect(JSON.stringify([planOf(drifted), approving('old', { plans: 1, approval: { hash: 'old' } })])).not.toContain(
      'ignored',
    );
    const hash = hashOf(drifted);
    expect(approving(hash)).toMatchObject({ action: 'update', ledger: { plans: 0, approval: { hash, plans: 0 } } });
  });

  test('that deletes has its approval on record before', () => {
    const kind = nodeGroupTemplateKind;
    const hash = contentHash(kind.content(templateSpec, String));
    const current = claimOf({ role: 'revision', collection: 'node-group-templates', id: 'id-1', hash });
    const former = { ...current, name: revisionNamed('former'), id: 'id-0', hash: 'former' };
    const claims = [former, current];
    const rows = claims.map(({ id = '', name }) => ({ id, name }));
    const given = { kind, spec: { ...templateSpec, policy: 'Plan' }, rows, referencedIds: new Set<string>() };
    const approval = hashOf({ ...given, ledger: ledgerOf(claims), status: ready });
    const onRecord = { hash: approval };
    expect(approving(approval, { claims }, given)).toMatchObject({
      action: 'write-ledger',
      ledger: { claims, approval: onRecord },
      report: { outcome: { result: 'requeue' } },
    });
    expect(approving(approval, { claims, approval: onRecord }, given)).toMatchObject({ action: 'collect' });
  });

  test('has another hash after it was carried out, for another edit, and for other values in the service', () => {
    const other = clusterRow({ node_groups: groups({ master: 1, worker: 4 }) });
    const hashes = [
      hashOf(drifted),
      hashOf({ ...drifted, ledger: { ...recorded, plans: 1 } }),
      hashOf({ ...drifted, metadata: { generation: 2 } }),
      hashOf({ ...drifted, rows: [other] }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashOf({ ...drifted })).toBe(hashes[0]);
  });

  test('is not approved by what was used, where somebody sets back how many were carried out', () => {
    const used = hashOf(drifted);
    const status = { ...ready, ledger: JSON.stringify({ ...recorded, plans: 1, approval: { hash: used, plans: 0 } }) };
    for (const forged of [{ plans: 0 }, {}, { plans: 0, approval: { hash: used, plans: 0 } }])
      expect(approving(used, forged, { status })).toMatchObject({ result: 'held', plan: { verb: 'Scale' } });
    const again = hashOf({ ...drifted, status });
    expect(approving(again, { plans: 0 }, { status })).toMatchObject({ action: 'update', ledger: { plans: 1 } });
  });

  test('tells all of a template that only this resource uses, and differs with it', () => {
    const withTemplate = (flavorID: string) => {
      const [master, worker] = clusterSpec.nodeGroups;
      const nodeGroups = [master, { ...worker, flavorID }];
      return planOf({ spec: { ...spec, name: 'prod', nodeGroups }, templates: [] });
    };
    const first = withTemplate('2');
    expect(first).toMatchObject({
      result: 'held',
      plan: { verb: 'Create', object: expect.stringContaining('emplate') },
    });
    const { plan: { changes = [], hash = '' } = {} } = first as {
      plan?: { changes?: { path: string }[]; hash: string };
    };
    expect(changes.map(({ path }) => path)).toContain('node_groups');
    expect((withTemplate('4') as { plan?: { hash: string } }).plan?.hash).not.toBe(hash);
  });

  test('shows no byte of a file', () => {
    const source = { content: { inline: 'print(42)', fileName: 'run.py' }, policy: 'Plan' };
    const held = planOf({ kind: jobBinaryKind, spec: source, templates: [] });
    expect(held).toMatchObject({ plan: { changes: expect.arrayContaining([{ path: 'bytes', to: '(file)' }]) } });
  });

  test('shows no password, and differs with it', () => {
    const source = { type: 'swift', url: 'swift://books/old', credentialsSecretRef: { name: 'keys' }, policy: 'Plan' };
    const planWith = (password: string) => {
      const [reference] = dataSourceKind.references(source as never, 'etl');
      if (!reference) throw new Error('it refers to a Secret');
      const data = Object.fromEntries(
        [...(reference.keys?.required ?? []), ...(reference.keys?.optional ?? [])].map((key) => [
          key,
          Buffer.from(key === 'password' ? password : 'reader').toString('base64'),
        ]),
      );
      const resource = { ...resourceOf(), kind: 'Secret', data };
      const digest = digestOf(resource, reference.keys);
      const resolved = { state: 'resolved', reference, resource, id: digest, hash: digest, claims: [] } as const;
      return planOf({ kind: dataSourceKind, spec: source, resolutions: [resolved] });
    };
    const [one, other] = [planWith('open-sesame'), planWith('open-barley')].map((plan) => JSON.stringify(plan));
    expect(one).toContain('(secret)');
    expect(one).not.toContain('open-sesame');
    expect(one).not.toBe(other);
  });
});

describe('an approved request that another one follows', () => {
  const imageSpec = { imageID: image, username: 'ubuntu', tags: ['a'], policy: 'Plan' };
  const imageClaim = claimOf({ collection: 'images', name: image, id: image });
  const tagged = (...tags: string[]) => [{ id: image, name: 'ubuntu', username: 'ubuntu', tags }];
  const imagePlan = (ledger: Ledger, ...tags: string[]) =>
    planOf({ kind: imageRegistrationKind, spec: imageSpec, ledger, rows: tagged(...tags), status: ready });
  const untagged = (changes: Partial<Ledger> = {}) =>
    ledgerOf([imageClaim], { plans: 0, change: changeTo({ 'spec.tags: [a]': 1 }), ...changes });
  const changeTo = (target: Record<string, number>) => ({ generation: 1, target, sentAt: iso(wall - 9_000), tries: 1 });
  const hash = (planned: unknown) => (planned as { readonly plan?: { readonly hash: string } }).plan?.hash;

  test('is counted before the plan of the next one is shown', () => {
    expect(imagePlan(untagged())).toMatchObject({
      action: 'write-ledger',
      ledger: { plans: 1, change: { target: { 'spec.tags: [a]': 1 }, counted: true } },
      report: { outcome: { result: 'requeue' } },
    });
    const counted = countChange(untagged());
    expect(imagePlan(counted)).toMatchObject({ result: 'held', plan: { verb: 'Update' } });
    expect(closeChange(counted), 'and not once more when it is over').toEqual(ledgerOf([imageClaim], { plans: 1 }));
  });

  test('is told without what the next one is to do, and as destructive where it removes something', () => {
    const told = (object: object) => ({ result: 'held', plan: { verb: 'Update', ...object } });
    const none = ledgerOf([imageClaim]);
    const [removes, adds] = [imagePlan(none, 'b'), imagePlan(none)];
    expect(removes).toMatchObject(told({ destructive: true, changes: [{ path: 'spec.tags', from: '[b]', to: '[]' }] }));
    expect(removes).toMatchObject({ message: expect.stringContaining('(tags from [b] to [])') });
    expect(adds).toMatchObject(told({ destructive: false, changes: [{ path: 'spec.tags', from: '[]', to: '[a]' }] }));
  });

  test('has another hash if it is wanted again, and the same as long as it was not counted', () => {
    const first = hash(imagePlan(ledgerOf([imageClaim], { plans: 0 }), 'b'));
    expect(hash(imagePlan(untagged(), 'b'))).toBe(first);
    expect([first, undefined]).not.toContain(hash(imagePlan(countChange(untagged()), 'b')));
  });

  test('is counted for a group that is removed and added again, which goes on', () => {
    const [master, worker] = clusterSpec.nodeGroups;
    const nodeGroups = [master, { name: worker.name, count: 2, nodeGroupTemplateID: image }];
    const options = { kind: clusterKind, spec: { ...clusterSpec, nodeGroups, policy: 'Plan' }, status: ready };
    const removed = ledgerOf([claimOf({ id: 'id-1' })], {
      plans: 0,
      madeFrom: { master: 'inline', worker: 'inline' },
      change: changeTo({ worker: 0 }),
    });
    const rows = [clusterRow({ node_groups: groups({ master: 1, worker: 0 }) })];
    expect(planOf({ ...options, ledger: removed, rows })).toMatchObject({
      action: 'write-ledger',
      ledger: countChange(removed),
    });
    expect(planOf({ ...options, ledger: countChange(removed), rows })).toMatchObject({
      result: 'held',
      plan: { verb: 'Scale', changes: [{ from: '0', to: '2' }] },
    });
  });

  test('is not counted under another policy', () => {
    const spec = { ...imageSpec, policy: 'Manage' };
    const options = { kind: imageRegistrationKind, spec, ledger: untagged(), rows: tagged(), status: ready };
    expect(planOf(options)).toMatchObject({ action: 'update', ledger: { plans: 0 } });
  });

  test('is counted for a run that was cancelled, before its end is told', () => {
    const spec = { jobID: image, clusterID: image, cancel: true };
    const run = claimOf({ collection: 'job-executions', name: `${uid}-1`, id: 'id-1', stopped: 'cancel' });
    const rows = [{ id: 'id-1', name: run.name, info: { status: 'KILLED' } }];
    const ended = (policy: string, changes: Partial<Ledger>) =>
      planOf({ kind: jobExecutionKind, spec: { ...spec, policy }, ledger: ledgerOf([run], changes), rows });
    const open = { plans: 1, change: changeTo({ cancel: 1 }) };
    expect(ended('Plan', open)).toMatchObject({ action: 'write-ledger', ledger: ledgerOf([run], { plans: 2 }) });
    for (const [policy, ledger] of [
      ['Plan', { plans: 2 }],
      ['Manage', open],
    ] as const)
      expect(ended(policy, ledger)).toMatchObject({ result: 'ended', reason: 'Cancelled' });
  });
});

describe('a run that has ended', () => {
  const ttl = { jobID: image, clusterID: image, ttlSecondsAfterFinished: 60 };
  const endedAt = (at: number) => ({
    observedGeneration: 1,
    conditions: conditionsAs(1, at, [
      ['Ready', 'True', 'Succeeded'],
      ['Complete', 'True', 'Succeeded'],
    ]),
  });
  const after = (seconds: number, spec: object, notAllowed?: string) =>
    plan({
      ...situationOf({
        kind: jobExecutionKind,
        spec: { ...ttl, ...spec },
        ledger: ledgerOf([claimOf({ collection: 'job-executions', name: `${uid}-1`, id: 'id-1' })]),
        status: endedAt(wall - seconds * 1_000),
      }),
      notAllowed,
    });

  test.each<readonly [string, object, string | undefined]>([
    ['in a namespace that its SharedConnection does not select any more', {}, 'namespace team is not selected'],
    ['while it is suspended', { suspend: true }, undefined],
    ['with the policy Plan', { policy: 'Plan' }, undefined],
  ])('stays so, and goes when its time is over: %s', (_, spec, notAllowed) => {
    const outcome = { result: 'ended', reason: 'Succeeded' };
    expect(after(59, spec, notAllowed)).toMatchObject({ action: 'none', outcome: { ...outcome, nextInMs: 1_000 } });
    expect(after(61, spec, notAllowed)).toMatchObject({ action: 'expire', outcome });
  });
});
