// What is read of the object that a resource is to stand for: of one with a fixed name, the template that tells who made it, and no more often than needed.
import { expect, test } from 'vitest';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import type { KeyMemory } from '../../../../src/operator/reconcile/key-memory.ts';
import { lookForExisting } from '../../../../src/operator/reconcile/observe/adoption.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import { runOf } from '../running.ts';
import { clusterName, clusterRow, clusterSpec, resourceOf, usable, viewOf } from '../support.ts';

const template = { id: 'template', name: 'etl-abcdabcdefghaaaaaaaa' };

/** `listed`: the templates of each LIST, in order; the last one is that of all later LISTs. */
async function adopting(row: Cluster, { listed = [[template]], memory = {}, policy = 'Manage' }: Options = {}) {
  const lists: string[] = [];
  const inventory = {
    observe: async ({ path }: { readonly path: string }) => {
      lists.push(path);
      return viewOf(listed[Math.min(lists.length, listed.length) - 1] ?? []);
    },
  };
  const getObject = async () => ({ ...row, default_image_id: clusterSpec.defaultImageID, user_keypair_id: 'demo' });
  const resource = resourceOf({ spec: { ...clusterSpec, policy, adopt: { name: row.name } } });
  const pass = runOf(usable({ service: { inventory, getObject } as unknown as Service }), resource, [resource]);
  Object.assign(pass.memory, memory);
  pass.observed(clusterKind, viewOf([row]));
  await lookForExisting(pass);
  return { lists, adoption: pass.adoption, memory: pass.memory };
}

interface Options {
  readonly listed?: readonly (readonly (typeof template)[])[];
  readonly memory?: Partial<KeyMemory>;
  readonly policy?: string;
}

const fixed = clusterRow({ name: 'etl', cluster_template_id: template.id });

test.each(['Manage', 'Observe'])('of a cluster with a fixed name, its template, by one LIST: %s', async (policy) => {
  const { lists, adoption, memory } = await adopting(fixed, { policy });
  expect(adoption).toMatchObject({ state: 'found', template: template.name });
  expect(lists).toEqual(['cluster-templates']);
  const again = await adopting(fixed, { policy, memory });
  expect(again.adoption).toEqual(adoption);
  expect(again.lists).toEqual([]);
});

test('a template that the last LIST lacks is looked for once more', async () => {
  const { lists, adoption } = await adopting(fixed, { listed: [[], [template]] });
  expect(adoption).toMatchObject({ template: template.name });
  expect(lists).toHaveLength(2);
  expect((await adopting(fixed, { listed: [[]] })).adoption).toMatchObject({ state: 'found', template: undefined });
});

test.each<readonly [string, Cluster]>([
  ['whose own name tells who made it', clusterRow({ name: clusterName, cluster_template_id: template.id })],
  ['that was started from no template', clusterRow({ name: 'etl' })],
])('nothing more of a cluster %s', async (_what, row) => {
  const { lists, adoption } = await adopting(row);
  expect(adoption).toMatchObject({ state: 'found', template: undefined });
  expect(lists).toEqual([]);
});
