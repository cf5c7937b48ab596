// Flavors in upstream: digits or an identifier; a name is refused as such, and a number is found nowhere.
import { describe, expect, test } from 'vitest';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import { bundledOnly, expectWords, onlyIn, scene, serve, unknownId, untilActive, worker } from '../../support.ts';
import { at, cluster, groupTemplate, inline, late, make, template } from '../general/upstream-support.ts';

const branded = ['sahara', 'savanna'] as const;

describe.each(branded)('%s: a flavor', (dialect) => {
  test.each([
    [scene.flavors.workers, 202, undefined],
    [unknownId, 202, undefined],
    [unknownId.replaceAll('-', ''), 202, undefined],
    ['77', 400, 'NOT_FOUND'],
    ['+2', 400, 'NOT_FOUND'],
    [2, 400, 'NOT_FOUND'],
    [-2, 400, 'NOT_FOUND'],
    ['m1.small', 400, 'VALIDATION_ERROR'],
    ['', 400, 'VALIDATION_ERROR'],
    [2.5, 400, 'VALIDATION_ERROR'],
    [true, 400, 'VALIDATION_ERROR'],
    [['2'], 400, 'VALIDATION_ERROR'],
  ])('%j: %d %s, in templates, in groups and in clusters', async (flavor_id, status, name) => {
    if (status === 202 && flavor_id !== scene.flavors.workers) bundledOnly('any flavor');
    const peer = await serve({ dialect });
    const group = { ...inline, flavor_id };
    for (const [path, body] of [
      ['node-group-templates', { ...groupTemplate, flavor_id }],
      ['cluster-templates', { ...template, node_groups: [group] }],
      ['clusters', { ...cluster, node_groups: [group] }],
    ] as const)
      expect([path, ...refused(await peer.post(at(path), body))]).toEqual([path, status, name]);
  });

  test('that is a number is told how to be sent', async () => {
    const peer = await serve({ dialect });
    const { body } = await peer.post(at('node-group-templates'), { ...groupTemplate, flavor_id: 2 });
    expectWords(body, 'cannot use flavor 2: identifiers of flavors are text');
  });
});

test.each(['m1.small', 2])('neutral: %j is looked for, or no text', async (flavor_id) => {
  onlyIn('neutral');
  const { hadoop_version: bigdata_version, ...rest } = groupTemplate;
  const peer = await serve();
  const reply = await peer.post(at('node-group-templates'), { ...rest, bigdata_version, flavor_id });
  expect(refused(reply)).toEqual([400, flavor_id === 2 ? 'VALIDATION_ERROR' : 'NOT_FOUND']);
});

test('sahara: in a scale it is the same', async () => {
  const peer = await late();
  const { id: cluster_id } = await make(peer, 'clusters');
  await untilActive(peer, cluster_id);
  const group = (flavor_id: unknown) => ({ ...inline, name: 'g', flavor_id });
  for (const [flavor_id, name] of [
    ['m1.small', 'VALIDATION_ERROR'],
    [2, 'NOT_FOUND'],
  ] as const) {
    // Not another master, which some plugins refuse before they look for the flavor.
    const add_node_groups = [{ ...group(flavor_id), node_processes: [worker] }];
    expect(refused(await peer.put(at(`clusters/${cluster_id}`), { add_node_groups }))).toEqual([400, name]);
  }
});
