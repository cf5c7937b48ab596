// The folders of machines, and their addresses.
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Folders } from '../../../../../src/service/backends/processes/clusters/folders.ts';
import { temporaryFolder } from '../../../../plane/support.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';

const machine = (index: number) => ({ instance_id: `machine-${index}`, instance_name: `c-g-00${index}` });

test('services that start clusters at the same moment hardly ever use the same addresses', async () => {
  const cluster = clusterOf([groupOf('namenode', [machine(1)])]);
  const roots = await Promise.all(Array.from({ length: 100 }, () => temporaryFolder()));
  const addresses = roots.map((root) => new Folders(root, () => 'secret').make(cluster, machine(1)));
  expect(new Set(addresses).size).toBeGreaterThan(95);
  for (const address of addresses) {
    const [, second = '', third = ''] = /^127\.(\d+)\.(\d+)\.1$/.exec(address) ?? [];
    expect([Number(second) >= 16 && Number(second) <= 77, Number(third) >= 1 && Number(third) <= 254]).toEqual([
      true,
      true,
    ]);
  }
});

test('a network at which something listens is not taken', async () => {
  const cluster = clusterOf([groupOf('namenode', [machine(1)])]);
  const root = await temporaryFolder();
  const remade = (folders: Folders): string => {
    const address = folders.make(cluster, machine(1));
    folders.remove(cluster.id, machine(1).instance_id);
    return address.replace(/\d+$/, '');
  };
  const first = remade(new Folders(root, () => 'secret'));
  expect(remade(new Folders(root, () => 'secret'))).toBe(first);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, `${first}9`, resolve));
  onTestFinished(() => void server.close());
  expect(remade(new Folders(root, () => 'secret'))).not.toBe(first);
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
