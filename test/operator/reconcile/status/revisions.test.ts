// What a status tells of revisions, and when a cluster is outdated.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import {
  behind,
  connectionOf,
  type Resolution,
  resolveReference,
} from '../../../../src/operator/reconcile/resource/references.ts';
import { nextStatus } from '../../../../src/operator/reconcile/status/status.ts';
import { claimOf, clusterRow, image, installation, ledgerOf, resourceOf, templateSpec } from '../support.ts';
import { applied, type ConcludedOptions, concludedOf, find, readyStatus } from './concluding.ts';

const revision = (hash: string, changes: Partial<Claim> = {}) =>
  claimOf({ role: 'revision', name: `etl-${hash}`, hash, id: `id-${hash}`, ...changes });
const settled = { result: 'settled' } as const;

describe('a template', () => {
  const told = (claims: readonly Claim[]) => {
    const status = nextStatus(
      concludedOf(settled, { kind: nodeGroupTemplateKind, spec: templateSpec, ledger: ledgerOf(claims) }),
    );
    return { revision: status?.['revision'], revisions: status?.['revisions'] };
  };

  test('tells the revision that its id stands for, and all that are there', () => {
    const main = revision('b', { role: 'main' });
    expect(told([revision('a'), main])).toEqual({ revision: 'b', revisions: ['a', 'b'] });
    expect(told([revision('a', { role: 'main' })])).toEqual({ revision: 'a', revisions: ['a'] });
  });

  test('tells none that is only on its way', () => {
    const { id: _none, ...coming } = revision('b');
    expect(told([revision('a'), coming])).toEqual({ revision: 'a', revisions: ['a'] });
    expect(told([coming])).toEqual({ revision: undefined, revisions: undefined });
  });
});

describe('a cluster', () => {
  const reference = { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name: 'small' };
  const referrer = { connection: connectionOf(resourceOf()), installation };
  const template = (...claims: readonly Claim[]): Resolution =>
    resolveReference(reference, resourceOf({ ledger: ledgerOf(claims) }), referrer);
  const spec = { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' };
  const made = (hash?: string) =>
    ledgerOf([claimOf({ id: 'id-1' })], hash === undefined ? {} : { templateRevision: hash });
  const first = template(revision('a', { role: 'main' }));
  const second = template(revision('a'), revision('b', { role: 'main' }));
  const status = (options: ConcludedOptions) =>
    applied(concludedOf(settled, { kind: clusterKind, spec, status: readyStatus, remote: clusterRow(), ...options }));
  const usedIn = (resource: ReturnType<typeof status>) =>
    (resource.status as { templateRevision?: string }).templateRevision;

  test.each<readonly [string, ConcludedOptions, string | undefined, boolean]>([
    ['made from the revision of now', { ledger: made('a'), resolutions: [first] }, 'a', false],
    ['made from the one before', { ledger: made('a'), resolutions: [second] }, 'a', true],
    ['made from the one of now, with one before', { ledger: made('b'), resolutions: [second] }, 'b', false],
    [
      'its template is gone',
      { ledger: made('a'), resolutions: [resolveReference(reference, undefined, referrer)] },
      'a',
      false,
    ],
    [
      'of a raw id',
      { spec: { ...spec, clusterTemplateRef: undefined, clusterTemplateID: image }, ledger: made() },
      undefined,
      false,
    ],
    [
      'of a version before, by the template that the service names',
      { ledger: made(), remote: clusterRow({ cluster_template_id: 'id-a' }), resolutions: [second] },
      'a',
      true,
    ],
    ['of a version before, and the service names none', { ledger: made(), resolutions: [second] }, undefined, false],
    [
      'of a version before, as the status told it',
      { ledger: made(), resolutions: [second], status: { ...readyStatus, templateRevision: 'a' } },
      'a',
      true,
    ],
  ])('%s', (_name, options, used, outdated) => {
    const told = status(options);
    expect([usedIn(told), find(told, 'TemplateOutdated')?.status]).toEqual([used, outdated ? 'True' : undefined]);
    expect(find(told, 'Ready')).toMatchObject({ status: 'True', reason: 'Available' });
  });

  test('is told both revisions and the way to the new one', () => {
    const told = find(status({ ledger: made('a'), resolutions: [second] }), 'TemplateOutdated');
    expect(told).toMatchObject({ reason: 'NewerRevision', observedGeneration: 1 });
    expect(told?.message).toMatch(
      /^ClusterTemplate small has revision b now, and this was made from a\. .*delete this resource and apply it again.*dataprocessing\.dev\/recreate: id-1$/,
    );
  });

  test.each<readonly [string, string, boolean]>([
    ['it was edited since, and is outdated already', 'a', true],
    ['it was made from what is there until the next revision is', 'b', false],
  ])('while its template is made anew: %s', (_name, used, outdated) => {
    const found = second.state === 'resolved' ? behind(second) : second;
    const told = status({ ledger: made(used), resolutions: [found] });
    expect([usedIn(told), find(told, 'TemplateOutdated')?.status]).toEqual([used, outdated ? 'True' : undefined]);
  });

  test('is outdated also while it cannot be used', () => {
    const failing = { result: 'refused', reason: 'ExternalError', message: 'broken' } as const;
    const options = { kind: clusterKind, spec, ledger: made('a'), resolutions: [second], remote: clusterRow() };
    expect(find(applied(concludedOf(failing, options)), 'TemplateOutdated')?.status).toBe('True');
  });

  test('tells no revision before it is there', () => {
    const ledger = ledgerOf([claimOf()], { templateRevision: 'a' });
    expect(usedIn(status({ ledger, resolutions: [second], remote: undefined }))).toBeUndefined();
  });
});
