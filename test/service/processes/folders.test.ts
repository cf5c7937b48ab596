// The folders of machines, and their addresses.
import { expect, test } from 'vitest';
import { Folders } from '../../../src/service/processes/folders.ts';
import { temporaryFolder } from '../../plane/support.ts';
import { clusterOf, groupOf } from '../provisioning/battery.ts';

const machine = (index: number) => ({ instance_id: `machine-${index}`, instance_name: `c-g-00${index}` });

test('services that start clusters at the same moment hardly ever use the same addresses', async () => {
  const cluster = clusterOf([groupOf('namenode', [machine(1)])]);
  const roots = await Promise.all(Array.from({ length: 20 }, () => temporaryFolder()));
  const addresses = roots.map((root) => new Folders(root, () => 'secret').make(cluster, machine(1)));
  expect(new Set(addresses).size).toBeGreaterThan(10);
});

test('the clusters of a service have a network each, and their machines an address each', async () => {
  const folders = new Folders(await temporaryFolder(), () => 'secret');
  const addresses = Array.from({ length: 30 }, (_, index) => {
    const cluster = { ...clusterOf([]), id: `cluster-${index}` };
    return [folders.make(cluster, machine(1)), folders.make(cluster, machine(2))];
  });
  const networks = addresses.map(([first = '']) => first.replace(/\.1$/, ''));
  expect(new Set(networks).size).toBe(30);
  expect(addresses).toEqual(networks.map((network) => [`${network}.1`, `${network}.2`]));
});
