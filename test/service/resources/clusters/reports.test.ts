// What a provisioner reports of the machines of a cluster.
import { expect, test } from 'vitest';
import { machinesOf } from '../../../../src/service/model/records/machines.ts';
import { applyReport } from '../../../../src/service/resources/clusters/provisioner-calls.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';
import { countLooks } from '../../support/looked-at.ts';

const named = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    instance_id: `m${index}`,
    instance_name: `n${index}`,
    created_at: '',
  }));
const placed = (address: string) =>
  named(3000).map((machine) => ({ ...machine, internal_ip: address, management_ip: address }));
const cluster = clusterOf([{ ...groupOf('workers', []), instances: named(3000) }]);

test('all machines get their addresses by one change, without a comparison of each with each', () => {
  const looks = countLooks();
  const changed = applyReport(cluster, 'then', { machines: placed('10.0.0.1') });
  expect(machinesOf(changed)).toEqual(placed('10.0.0.1').map((machine) => ({ ...machine, updated_at: 'then' })));
  expect(looks()).toBeLessThan(500_000);
});

test('a machine that has this address already is not changed, nor is one that is not of the cluster', () => {
  const before = applyReport(cluster, 'then', { machines: placed('10.0.0.1') });
  expect(applyReport(before, 'later', { machines: placed('10.0.0.1') })).toBe(before);
  const other = { instance_id: 'other', instance_name: 'other', created_at: '', internal_ip: '10.0.0.9' };
  expect(applyReport(before, 'later', { machines: [other] })).toBe(before);
});
