// Plans for an object that exists: one whose name another installation generated, of which the claims are not visible here, one from an
// earlier revision of its template, and one that an entry of the spec does not fit.
import { describe, expect, test } from 'vitest';
import { installationMark } from '../../../../src/lib/generated-name.ts';
import { takeOverAnnotation } from '../../../../src/operator/api/shared-api.ts';
import type { Drift } from '../../../../src/operator/reconcile/kind/kind.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  image,
  installation,
  ledgerOf,
  resourceOf,
  type SituationOptions,
  situationOf,
  wall,
} from '../support.ts';

const ready = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };

const uidPart = 'abcdefgh';
const named = (mark: string) => `etl-${mark}${uidPart}`;
const foreign = installationMark('elsewhere');
const drift: Drift = { path: 'spec.userKeypairID', want: 'demo', have: 'other', fixable: false };

interface Options extends SituationOptions {
  readonly differs?: readonly Drift[];
  readonly template?: string;
}

const planned = (name: string, { template, ...options }: Options = {}) => {
  const row = clusterRow({ name });
  const spec = { ...clusterSpec, adopt: { name }, ...(options.spec as object | undefined) };
  const input = situationOf({ ...options, spec, rows: [row] });
  const result = plan({ ...input, adoption: { state: 'found', row, differs: options.differs ?? [], template } });
  return result.action === 'none' ? result.outcome : result;
};
const told = `its name has the mark ${foreign} of another installation of the operator, which may still manage it`;
const recorded = { action: 'write-ledger', ledger: { adopted: 'id-1' } };
const vouching = (value: string): SituationOptions => ({ metadata: { annotations: { [takeOverAnnotation]: value } } });

describe('an object to adopt whose name', () => {
  test.each<readonly [string, string]>([
    ['has the mark of this installation', named(installationMark(installation))],
    ['has no mark', 'analytics'],
    ['has a suffix of another length', `etl-${foreign}abc`],
  ])('%s is recorded', (_what, name) => {
    expect(planned(name)).toMatchObject(recorded);
  });

  describe('has the mark of another one', () => {
    test.each(['Manage', 'Plan'])('is refused with the remedy under %s, also where it differs', (policy) => {
      const refused = {
        result: 'refused',
        reason: 'AdoptionMismatch',
        message: `Cluster ${named(foreign)} (id-1) is not adopted: ${told}. If a resource of that installation stands for it, set spec.deletionPolicy of that resource to Orphan and delete it. Once nobody else manages it, set the annotation ${takeOverAnnotation} to the name of that installation, or to ${foreign}`,
      };
      expect(planned(named(foreign), { spec: { policy } })).toEqual(refused);
      expect(planned(named(foreign), { spec: { policy }, differs: [drift] })).toEqual(refused);
    });

    test.each(['elsewhere', foreign])('is recorded once a user vouches for it: %s', (value) => {
      expect(planned(named(foreign), vouching(value))).toMatchObject(recorded);
      expect(planned(named(foreign), { ...vouching(value), differs: [drift] })).toMatchObject({
        reason: 'AdoptionMismatch',
        drift: [drift],
      });
    });

    test.each([installation, 'somewhere', '', uidPart])(
      'is refused where a user vouches for another one: %j',
      (value) => {
        expect(planned(named(foreign), vouching(value))).toMatchObject({ result: 'refused' });
      },
    );

    test('is observed, and it says so', () => {
      const spec = { policy: 'Observe' };
      const held = { result: 'held', isReady: true };
      const start = 'observed only. It would not be adopted, because';
      expect(planned(named(foreign), { spec })).toMatchObject({ ...held, message: `${start} ${told}`, drift: [] });
      expect(planned(named(foreign), { spec, differs: [drift] })).toMatchObject({
        ...held,
        message: `${start} ${told}; and it differs from the spec: spec.userKeypairID is other and not demo`,
        drift: [drift],
      });
      expect(planned(named(foreign), { spec, ...vouching('elsewhere') })).toEqual({ result: 'settled' });
    });
  });
});

describe('an object to adopt whose name a user has fixed', () => {
  const privateOf = (mark: string, base = 'nightly-etl') => `${base}-${mark}${uidPart}aaaaaaaa`;
  const message = `the name of its template has the mark ${foreign} of another installation of the operator, which may still manage it`;

  test('is refused with the remedy if another installation started it from a template of its own', () => {
    const template = privateOf(foreign);
    expect(planned('Nightly.etl', { template })).toMatchObject({
      result: 'refused',
      reason: 'AdoptionMismatch',
      message: expect.stringContaining(`Cluster Nightly.etl (id-1) is not adopted: ${message}. If a resource`),
    });
    expect(planned('Nightly.etl', { template, ...vouching('elsewhere') })).toMatchObject(recorded);
    expect(planned('Nightly.etl', { template, spec: { policy: 'Observe' } })).toMatchObject({
      result: 'held',
      message: `observed only. It would not be adopted, because ${message}`,
    });
  });

  test.each<readonly [string, string | undefined]>([
    ['this installation made its template', privateOf(installationMark(installation))],
    ['its template is one for many clusters', privateOf(foreign, 'small')],
    ['a person named its template', 'nightly-etl'],
    ['its template is not known', undefined],
  ])('is recorded if %s', (_what, template) => {
    expect(planned('Nightly.etl', template === undefined ? {} : { template })).toMatchObject(recorded);
  });
});

const ownID = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';

describe('a resource that has made its object itself and is to adopt', () => {
  const own = ledgerOf([claimOf({ id: ownID })]);
  const asked = (adopt: object, options: SituationOptions = {}, policy = 'Observe') => {
    const spec = { ...clusterSpec, policy, adopt };
    const result = plan(
      situationOf({ ledger: own, rows: [clusterRow({ id: ownID })], status: ready, ...options, spec }),
    );
    return result.action === 'none' ? result.outcome : result;
  };
  const { name, plugin_name: pluginName } = clusterRow({ id: ownID });

  test.each<readonly [string, object]>([
    ['id', { id: ownID }],
    ['name', { name }],
    ['match', { match: { name: `${name.slice(0, 4)}*`, pluginName } }],
  ])('just that, by %s, keeps it as its own, and writes nothing under Observe', (_by, adopt) => {
    expect(asked(adopt)).toEqual({ result: 'settled' });
    const scaled = clusterRow({ id: ownID, node_groups: groups({ master: 1, worker: 3 }) });
    expect(asked(adopt, { rows: [scaled] })).toMatchObject({ result: 'held', isReady: true, plan: { verb: 'Scale' } });
    expect(asked(adopt, { rows: [scaled] }, 'Manage')).toMatchObject({ action: 'update', id: ownID });
  });

  test('just that, which the service does not list, is told that it is missing', () => {
    expect(asked({ id: ownID }, { rows: [] })).not.toMatchObject({ reason: 'InvalidSpec' });
    expect(asked({ id: image }, { rows: [] })).toMatchObject({ reason: 'InvalidSpec' });
  });

  test.each<readonly [string, object]>([
    ['id', { id: image }],
    ['name', { name: 'analytics' }],
    ['match', { match: { name, pluginName: 'another' } }],
  ])('another one, by %s, is refused with the remedy', (_by, adopt) => {
    expect(asked(adopt)).toMatchObject({
      reason: 'InvalidSpec',
      message: `spec.adopt: this resource has an object of its own in the service, ${name} (${ownID}): remove spec.adopt, or adopt the other object with another resource. To observe its own one, set spec.adopt.id: ${ownID} after that`,
    });
  });

  test('another one, while its own is being created, is refused', () => {
    expect(asked({ name }, { ledger: ledgerOf([claimOf(attempts(1))]), rows: [] })).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringMatching(/with another resource$/),
    });
  });
});

const fromSmall = { clusterTemplateRef: { name: 'small' }, nodeGroups: [{ name: 'worker', count: 2 }] };

describe('a cluster to adopt keeps the revision of the template that it was started from', () => {
  const reference = { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name: 'small', fixed: true } as const;
  const revision = (id: string, hash: string) => claimOf({ collection: 'cluster-templates', name: hash, id, hash });
  const claims = [{ ...revision('ct-1', 'former'), role: 'revision' } as const, revision('ct-2', 'current')];
  const resolutions = [
    { state: 'resolved', reference, resource: resourceOf(), id: 'ct-2', hash: 'current', claims } as const,
  ];

  test.each<readonly [string, string | undefined, string]>([
    ['the current one', 'ct-2', 'current'],
    ['a former one', 'ct-1', 'former'],
    ['one that the service does not tell, whose content is that of the current one', undefined, 'current'],
  ])('%s', (_what, id, templateRevision) => {
    const row = clusterRow({ name: 'analytics', ...(id !== undefined && { cluster_template_id: id }) });
    const spec = { ...clusterSpec, ...fromSmall, adopt: { name: 'analytics' } };
    const input = situationOf({ spec, rows: [row], resolutions });
    const adoption = { state: 'found', row, differs: [] } as const;
    expect(plan({ ...input, adoption })).toMatchObject({ action: 'write-ledger', ledger: { templateRevision } });
  });
});

test('a cluster that lacks the group of an entry is observed, and it says so', () => {
  const nodeGroups = [{ name: 'workr', count: 2 }];
  const lacking: Drift = { path: 'spec.nodeGroups[workr]', want: 'an entry', have: 'none', fixable: false };
  const spec = {
    ...fromSmall,
    clusterTemplateRef: undefined,
    clusterTemplateID: '11111111-2222-4333-8444-555555555555',
  };
  expect(planned('analytics', { spec: { ...spec, nodeGroups, policy: 'Observe' }, differs: [lacking] })).toEqual({
    result: 'held',
    message:
      'observed only. It would not be adopted, because it differs from the spec: spec.nodeGroups[workr] is none and not an entry',
    drift: [lacking],
    isReady: true,
  });
});
