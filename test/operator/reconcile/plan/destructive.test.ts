// What a plan calls destructive, and what the schema says of that.
import { expect, test } from 'vitest';
import { externalStatus } from '../../../../src/operator/api/shared-api.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { contentHash } from '../../../../src/operator/reconcile/ledger/naming.ts';
import {
  claimOf,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  image,
  ledgerOf,
  revisionNamed,
  templateSpec,
  uid,
  wall,
} from '../support.ts';
import { planOf } from './matchers.ts';

const policy = 'Plan';
const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };
const told = externalStatus.plan.unwrap().shape.destructive.description;

const clusterOf = (workers: number) => ({
  spec: { ...clusterSpec, policy },
  ledger: ledgerOf([claimOf({ id: 'id-1' })]),
  rows: [clusterRow({ node_groups: groups({ master: 1, worker: workers }) })],
  status,
});

const imageOf = (...tags: string[]) => ({
  kind: imageRegistrationKind,
  spec: { imageID: image, username: 'ubuntu', tags: ['a'], policy },
  ledger: ledgerOf([claimOf({ collection: 'images', name: image, id: image })]),
  rows: [{ id: image, name: 'ubuntu', username: 'ubuntu', tags }],
  status,
});

const hash = contentHash(nodeGroupTemplateKind.content(templateSpec, String));
const current = claimOf({ role: 'revision', collection: 'node-group-templates', id: 'id-1', hash });
const former = { ...current, name: revisionNamed('former'), id: 'id-0', hash: 'former' };
const edited = {
  kind: nodeGroupTemplateKind,
  spec: { ...templateSpec, policy },
  ledger: ledgerOf([former, current]),
  rows: [former, current].map(({ id = '', name }) => ({ id, name })),
  referencedIds: new Set<string>(),
  status,
};

const run = claimOf({ collection: 'job-executions', name: `${uid}-1`, id: 'id-1' });
const running = {
  kind: jobExecutionKind,
  spec: { jobID: image, clusterID: image, cancel: true, policy },
  ledger: ledgerOf([run]),
  rows: [{ id: 'id-1', name: run.name, info: { status: 'RUNNING' } }],
  status,
};

test.each([
  ['Delete', 'an old revision is deleted', edited],
  ['Scale', 'a node group is scaled down', clusterOf(3)],
  ['Update', 'tags of an image are removed', imageOf('a', 'b')],
  ['Cancel', 'a run is cancelled', running],
])('a plan to %s, where %s', (verb, words, options) => {
  expect(planOf(options)).toMatchObject({ plan: { verb, destructive: true } });
  expect(told).toContain(words);
});

/** A description can look like a number, as counts do. */
const renumbered = {
  ...imageOf('a'),
  spec: { imageID: image, username: 'ubuntu', description: '4', policy },
  rows: [{ id: image, name: 'ubuntu', username: 'ubuntu', description: '5', tags: [] }],
};

test.each([
  ['Create', { spec: { ...clusterSpec, policy } }],
  ['Scale', clusterOf(1)],
  ['Update', imageOf()],
  ['Update', renumbered],
])('a plan to %s more takes nothing away', (verb, options) => {
  expect(planOf(options)).toMatchObject({ plan: { verb, destructive: false } });
});
