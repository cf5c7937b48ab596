// Who uses an object in the service, where no resource of its namespace does: the objects that refer to it, and who owns these.
import { expect, test } from 'vitest';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { remoteUsersOf } from '../../../../src/operator/reconcile/observe/remote-users.ts';
import { somebodyElse } from '../../../../src/operator/reconcile/plan-input.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { runOf } from '../running.ts';
import { claimOf, ledgerOf, monotonic, resourceOf, templateSpec, usable, viewOf } from '../support.ts';

const template = resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec });
const row = (id: string, of: string) => ({
  id,
  name: `t-${id}`,
  node_groups: [{ name: 'w', count: 1, node_group_template_id: of }],
});
const owner = (at: Partial<Ledger>) =>
  resourceOf({
    kind: clusterTemplateKind,
    metadata: { namespace: 'team-b', uid: 'u2', name: 'small' },
    ledger: ledgerOf([claimOf({ role: 'main', collection: 'cluster-templates', name: 't-2', id: '2' })], {
      uid: 'u2',
      ...at,
    }),
  });

function ask(observe: () => Promise<unknown>, at: Partial<Ledger> = {}) {
  const service = usable({ service: { inventory: { observe } } as never });
  const kinds = new Map([['ClusterTemplate', clusterTemplateKind]]);
  const run = runOf(service, template, [template, owner(at)], {}, { kinds } as never);
  return remoteUsersOf(run, nodeGroupTemplateKind, 'id-1');
}

const list = async () => viewOf([row('1', 'id-1'), row('2', 'id-1'), row('3', 'id-2')]);
const orphan = { kind: 'ClusterTemplate', id: '1', name: 't-1' };
const owned = { kind: 'ClusterTemplate', id: '2', name: 't-2' };

test('those that refer to it, with the resource that owns them', async () => {
  expect(await ask(list)).toEqual([orphan, { ...owned, owner: 'ClusterTemplate/team-b/small' }]);
});

test('one that a resource owns at another address, or has on record for another tenant, is not taken for an orphan', async () => {
  expect(await ask(list, { endpoint: 'http://localhost:1' })).toEqual([orphan, { ...owned, owner: somebodyElse }]);
  expect(await ask(list, { tenant: 'other' })).toEqual([orphan, { ...owned, owner: 'another resource' }]);
});

test('nobody is named while the list cannot be read', async () => {
  const failure = classify({ method: 'GET', path: '/' }, { phase: 'answered', status: 500, body: '' });
  expect(await ask(() => Promise.reject(failure))).toEqual([]);
  await expect(ask(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
});

test('no list is read of a kind that cannot refer to it', async () => {
  let asked = 0;
  const observe = async () => {
    asked += 1;
    return viewOf([row('1', 'id-1')]);
  };
  const service = usable({ service: { inventory: { observe } } as never });
  const kinds = new Map([['ClusterTemplate', clusterTemplateKind]]);
  const run = runOf(service, template, [template], {}, { kinds } as never);
  expect(await remoteUsersOf(run, { ...nodeGroupTemplateKind, route: 'images' }, 'id-1')).toEqual([]);
  expect(asked).toBe(0);
});

test('a list of the last half minute will do', async () => {
  const asked: number[] = [];
  const observe = async (_route?: unknown, wanted?: { readonly notBefore: number }) => {
    asked.push(wanted?.notBefore ?? 0);
    return viewOf([]);
  };
  await ask(observe);
  expect(asked).toEqual([monotonic - 30_000]);
});
