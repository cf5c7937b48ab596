// The flavor of a run: what its configs name, or else the default.
import { expect, test } from 'vitest';
import type { RunPlan } from '../../../../src/service/backends/job-engine.ts';
import { checkJobMemory, jobFlavorOf } from '../../../../src/service/backends/runs/job-flavor.ts';

const flavor = (id: string, tenants?: readonly string[]) => ({
  id,
  name: id,
  cpus: 1,
  memory: 2048,
  disk: 1,
  ...(tenants && { tenants }),
});
const flavors = [flavor('small'), flavor('gpu', ['team-a']), flavor('2')];
const planOf = (tenant: string, job_configs: object) => ({ tenant, job_configs }) as RunPlan;
const named = (tenant: string, id: unknown, more = {}) =>
  jobFlavorOf(planOf(tenant, { configs: { 'edp.flavor': id } }), { flavors, ...more })?.id;

test('is that of its configs, also as a number, or else the default, or else none', () => {
  expect([named('team-a', 'gpu'), named('team-b', 2)]).toEqual(['gpu', '2']);
  expect(named('team-b', 'small', { defaultJobFlavor: '2' })).toBe('small');
  expect(jobFlavorOf(planOf('t', {}), { flavors, defaultJobFlavor: '2' })?.id).toBe('2');
  expect(jobFlavorOf(planOf('t', { params: { 'edp.flavor': 'small' }, args: ['edp.flavor'] }), { flavors })).toBe(
    undefined,
  );
});

test('of another tenant is refused like one that does not exist, and is not listed', () => {
  for (const id of ['gpu', 'large'])
    expect(() => named('team-b', id)).toThrow(
      new RegExp(`^configs have edp\\.flavor "${id}", and there is no such flavor; there are small, 2$`),
    );
});

test.each([
  [['-Xmx1331m'], true],
  [['-Xmx1332m'], false],
  [['-Xmx1g'], true],
  [['-Xmx2G'], false],
  [['-Xmx999999999t'], false],
  [['main.sh', 'no heap'], true],
])('a program with the arguments %j has room in it: %s', (args, fits) => {
  const check = expect(() => checkJobMemory({ file: 'java', args, env: {} }, flavor('small')));
  if (fits) check.not.toThrow();
  else check.toThrow('but flavor small has 2048: choose a larger edp.flavor, or lower ');
});
