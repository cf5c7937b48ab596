// The plan under a name that the user has fixed: whose the object of it is, and what is made when there is none.
import { describe, expect, test } from 'vitest';
import type { Claim, Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { isOwnName, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { plan, planAbsent } from '../../../../src/operator/reconcile/plan/plan.ts';
import {
  attempts,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  installation,
  iso,
  ledgerOf,
  quarantineMs,
  type SituationOptions,
  situationOf,
  uid,
  usable,
  viewOf,
  wall,
} from '../support.ts';
import { adopts, deletesObject, releases } from './matchers.ts';

const name = 'nightly';
const spec = { ...clusterSpec, name };
const settled = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };

/** The private template that the spec asks for. */
const first = planAbsent(situationOf({ spec, rows: [] }));
if (first.action !== 'create') throw new Error(`the first step is ${first.action}`);
const wanted = first.claim;
const template = { id: 't-1', name: wanted.name };
const proof: Claim = { ...wanted, id: template.id };
const formerName = revisionName({ name, uid, installation }, 'aaaaaaaa');
const former: Claim = { ...wanted, name: formerName, hash: 'aaaaaaaa', id: 't-0' };
/** As the service has them: they prove whose an object is, and a recorded id alone does not. */
const templates = [template, { id: 't-0', name: formerName }];
const main = (changes: Partial<Claim> = {}): Claim => ({ role: 'main', collection: 'clusters', name, ...changes });
const refusedAt = '2026-01-01T10:00:00.000Z';
const refused = main({ attempts: { open: 0, lastSentAt: refusedAt, refusedAt } });

const own = clusterRow({ name, cluster_template_id: template.id });
const foreign = clusterRow({ name, cluster_template_id: 't-foreign' });
const untold = clusterRow({ name });
const scaled = clusterRow({ ...own, node_groups: groups({ master: 1, worker: 9 }) });
const failed = { status: 'Error', node_groups: [{ name: 'master', count: 1, instances: [] }] };

const at = (options: SituationOptions) => planAbsent(situationOf({ spec, rows: [], templates: [], ...options }));
const begun: Ledger = ledgerOf([proof, main(attempts(1))]);
const conflict = { action: 'none', outcome: { result: 'refused', reason: 'NameConflict' } };

test('the first step is a private template of our own name, and nothing is said of the object yet', () => {
  expect(wanted).toMatchObject({ role: 'private', collection: 'cluster-templates' });
  expect(isOwnName(wanted.name, { name: 'etl', uid, installation })).toBe(true);
  expect(wanted.name).toMatch(/^nightly-[a-z2-7]{20}$/);
  expect(first.ledger.claims).toEqual([]);
  expect(first.body).toMatchObject({ name: wanted.name, node_groups: [{ name: 'master' }, { name: 'worker' }] });
  expect(first.ledger.base).toBe('nightly');
});

describe('what bears the name', () => {
  test.each<readonly [string, SituationOptions, object]>([
    ['started from the recorded template: ours', { ledger: begun, rows: [own], templates }, adopts('id-1')],
    [
      'started from what the ledger says is our template, and no template of that name is there',
      { ledger: begun, rows: [own] },
      conflict,
    ],
    [
      'started from the template of another, which the ledger says is ours',
      {
        ledger: begun,
        rows: [own],
        templates: [{ id: 't-1', name: revisionName({ name, uid: 'another', installation }, 'aaaaaaaa') }],
      },
      conflict,
    ],
    [
      'started from a template of that name, which a lost answer left',
      { ledger: ledgerOf([{ ...wanted, ...attempts(1) }, main(attempts(1))]), rows: [own], templates: [template] },
      adopts('id-1'),
    ],
    [
      'started from a former template of ours',
      {
        ledger: ledgerOf([former, proof, main(attempts(1))]),
        rows: [{ ...own, cluster_template_id: 't-0' }],
        templates,
      },
      adopts('id-1'),
    ],
    ['started from another template', { ledger: begun, rows: [foreign], templates: [template] }, conflict],
    ['started from none that the service tells', { ledger: begun, rows: [untold], templates: [template] }, conflict],
    ['there before anything of ours', { rows: [foreign] }, conflict],
    [
      'in Error, ours, after a refusal',
      { ledger: ledgerOf([proof, refused]), rows: [{ ...own, ...failed }], templates },
      deletesObject('id-1'),
    ],
    [
      "in Error, somebody else's, after a refusal",
      { ledger: ledgerOf([proof, refused]), rows: [{ ...foreign, ...failed }] },
      conflict,
    ],
    [
      'in Error, ours, with an attempt open',
      { ledger: begun, rows: [{ ...own, ...failed }], templates },
      adopts('id-1'),
    ],
    [
      'ours by the tag of its template, with the ledger lost',
      { held: true, rows: [own], templates: [template] },
      {
        ...adopts('id-1'),
        ledger: { claims: [proof, main({ id: 'id-1' })], configs: expect.anything(), madeFrom: expect.anything() },
      },
    ],
    [
      'ours, and the ledger does not know that it was begun: what it is made of is remembered anew',
      { ledger: ledgerOf([proof]), rows: [own], templates: [template] },
      adopts('id-1', {}, { madeFrom: { master: 'inline', worker: 'inline' } }),
    ],
    [
      'ours, while the Connection may not create',
      { ledger: begun, rows: [own], templates, service: usable({ mayCreate: false }) },
      adopts('id-1'),
    ],
    ["somebody else's, with the ledger lost", { held: true, rows: [foreign], templates: [template] }, conflict],
  ])('%s', (_name, options, expected) => {
    expect(at(options)).toMatchObject(expected);
  });

  test.each([
    ['id', {}, 'id-1'],
    ['id, the resource that has it', { 'id-1': 'Cluster/team-b/other' }, 'id-1, of Cluster/team-b/other'],
  ])('is named with its %s, the reason and the remedy', (_name, owners, which) => {
    const planned = at({ rows: [foreign], owners });
    const { message } = (planned as { readonly outcome: { readonly message: string } }).outcome;
    expect(message).toBe(
      `cannot use the name nightly: the service already has another object with this name (${which}), which was not created for this Cluster. ` +
        'Nothing is created until that object is gone. To manage it, delete this Cluster and apply it with spec.adopt.id: id-1 in place of spec.name; to have another one, with another spec.name',
    );
  });
});

describe('when nothing bears it', () => {
  test.each<readonly [string, SituationOptions, object]>([
    [
      'the template was found by its name: it is recorded',
      { ledger: ledgerOf([{ ...wanted, ...attempts(2) }]), templates: [template] },
      adopts('t-1', { role: 'private' }),
    ],
    [
      'the template is there: the object is started from it',
      { ledger: ledgerOf([proof]), templates: [template] },
      {
        action: 'create',
        claim: main(),
        body: { name, cluster_template_id: 't-1', user_keypair_id: 'demo' },
        ledger: { claims: [proof] },
      },
    ],
    [
      'the list lags, and a GET has shown the template',
      { ledger: ledgerOf([proof]), remotes: new Map([['clusterTemplates/t-1', template]]) },
      { action: 'create', claim: main() },
    ],
    [
      'another content than the template has: another template',
      { ledger: ledgerOf([former]), templates: [{ id: 't-0', name: former.name }] },
      { action: 'create', claim: wanted, ledger: { claims: [former] } },
    ],
    [
      'the template is gone: it is made again',
      { ledger: ledgerOf([proof]) },
      { action: 'create', claim: wanted, ledger: { claims: [wanted] } },
    ],
    [
      'the template is gone, and a start from it may still come: wait',
      { ledger: begun },
      {
        action: 'none',
        outcome: {
          result: 'waiting',
          on: 'time',
          reason: 'Provisioning',
          message: `the private template ${wanted.name} is gone from the service, and a cluster that was started from it may still appear`,
          afterMs: quarantineMs - 1_000,
        },
      },
    ],
    [
      'a template whose create has no answer yet is asked for again, whatever may still be started',
      { ledger: ledgerOf([{ ...wanted, ...attempts(1) }, main(attempts(1))]) },
      { action: 'create', claim: { ...wanted, ...attempts(1) } },
    ],
    [
      'a template of other content that was never made leaves the ledger',
      { ledger: ledgerOf([{ ...wanted, name: formerName, hash: 'aaaaaaaa' }]) },
      { action: 'create', claim: wanted, ledger: { claims: [] } },
    ],
    [
      'the template is gone, and no start from it can come any more',
      { ledger: ledgerOf([proof, main(attempts(1, '2026-01-01T09:00:00.000Z'))]) },
      { action: 'create', claim: wanted },
    ],
    [
      'a refusal stays on record while another template is made',
      { ledger: ledgerOf([former, refused]) },
      { action: 'create', claim: wanted, ledger: { claims: [former, refused] } },
    ],
  ])('%s', (_name, options, expected) => {
    expect(at(options)).toMatchObject(expected);
  });

  test('the body of the start carries nothing that the template has', () => {
    const planned = at({ ledger: ledgerOf([proof]), templates: [template] });
    const { body } = planned as { readonly body: object };
    expect(Object.keys(body).sort()).toEqual([
      'bigdata_version',
      'cluster_template_id',
      'default_image_id',
      'name',
      'plugin_name',
      'user_keypair_id',
    ]);
  });

  test('counts that were edited ask for another template, the order of groups for none', () => {
    const [master, worker] = clusterSpec.nodeGroups;
    const hashOf = (nodeGroups: readonly object[]) => {
      const planned = at({ spec: { ...spec, nodeGroups } });
      return planned.action === 'create' ? planned.claim.hash : planned.action;
    };
    expect(hashOf([worker, master])).toBe(wanted.hash);
    expect(hashOf([master, { ...worker, count: 7 }])).not.toBe(wanted.hash);
  });
});

describe('templates that the object was not started from', () => {
  const ledger = ledgerOf([former, proof, main({ id: 'id-1' })]);
  const known = (options: SituationOptions) =>
    plan(situationOf({ spec, ledger, rows: [own], templates, status: settled, ...options }));

  test.each<readonly [string, SituationOptions, object]>([
    ['go once all is as wanted', {}, { action: 'collect', claims: [former] }],
    [
      'stay while something is to be said first',
      { status: { observedGeneration: 0 } },
      { action: 'none', outcome: { result: 'settled' } },
    ],
    [
      'stay while the service is at work',
      { rows: [clusterRow({ ...own, status: 'Spawning' })] },
      { action: 'none', outcome: { result: 'waiting', reason: 'Provisioning' } },
    ],
    ['stay while the counts differ', { rows: [scaled] }, { action: 'update' }],
    [
      'stay while a start may still take effect',
      { ledger: ledgerOf([former, proof, main({ id: 'id-1', ...attempts(1) })]) },
      { action: 'none', outcome: { result: 'settled' } },
    ],
    [
      'stay when it cannot be read when that start was sent',
      { ledger: ledgerOf([former, proof, main({ id: 'id-1', ...attempts(1, '?') })]) },
      { action: 'none', outcome: { result: 'settled' } },
    ],
    [
      'go when the quarantine of that start is over',
      { ledger: ledgerOf([former, proof, main({ id: 'id-1', ...attempts(1, iso(wall - quarantineMs)) })]) },
      { action: 'collect', claims: [former] },
    ],
    [
      'stay when the service does not tell which it was, and once did',
      { rows: [{ ...untold }], memory: { proven: { id: 'id-1', from: 't-1' } } },
      { action: 'none', outcome: { result: 'settled' } },
    ],
    [
      'stay with the object when nothing ever told that it is ours',
      { rows: [{ ...untold }] },
      {
        action: 'none',
        outcome: {
          reason: 'OwnershipUnconfirmed',
          message:
            'nothing proves that Cluster id-1 was created for this resource, because it was started from a template of somebody else. ' +
            'It is safe: the operator neither changes nor deletes it. To delete this resource and keep its objects in the service, set spec.deletionPolicy to Orphan',
        },
      },
    ],
    [
      'there are none',
      { ledger: ledgerOf([proof, main({ id: 'id-1' })]) },
      { action: 'none', outcome: { result: 'settled' } },
    ],
  ])('%s', (_name, options, expected) => {
    expect(known(options)).toMatchObject(expected);
  });
});

describe('deletion', () => {
  const gone = (options: SituationOptions) => plan(situationOf({ spec, deleting: true, ...options }));

  test.each<readonly [string, SituationOptions, object]>([
    [
      'first the object, then its template',
      { ledger: ledgerOf([proof, main({ id: 'id-1' })]) },
      { action: 'delete', claims: [main({ id: 'id-1' })], later: [proof] },
    ],
    [
      'an object that may still come goes before it, too',
      { ledger: begun },
      { action: 'delete', claims: [main(attempts(1))], later: [proof] },
    ],
    [
      'the template alone, when the object is gone',
      { ledger: ledgerOf([proof]) },
      { action: 'delete', claims: [proof], later: [] },
    ],
    [
      'with the ledger lost both, by the tag of the template',
      { held: true, rows: [own], templates: [template] },
      { action: 'delete', claims: [{ role: 'main', collection: 'clusters', name, id: 'id-1' }], later: [{ ...proof }] },
    ],
    [
      'with the ledger lost no stranger',
      { held: true, rows: [foreign], templates: [template] },
      { action: 'delete', claims: [{ ...proof }], later: [] },
    ],
    [
      'of a resource that never got its name: nothing',
      { held: true, rows: [foreign], templates: [] },
      releases('Deleted'),
    ],
    [
      'Orphan leaves both and says so',
      { ledger: ledgerOf([proof, main({ id: 'id-1' })]), spec: { ...spec, deletionPolicy: 'Orphan' } },
      releases('Orphaned', expect.stringContaining(`cluster-templates ${wanted.name} (t-1), clusters nightly (id-1)`)),
    ],
  ])('%s', (_name, options, expected) => {
    expect(gone({ view: viewOf(options.rows ?? []), ...options })).toMatchObject(expected);
  });
});
