// `why` and `status` exit with 1 if somebody has to do something, and with 0 otherwise.
import { expect, test } from 'vitest';
import { objectNamed } from '../../src/cli/kind-names.ts';
import { Objects } from '../../src/cli/objects.ts';
import type { Printer } from '../../src/cli/output/run-output.ts';
import type { Reach } from '../../src/cli/reach.ts';
import { printStatus } from '../../src/cli/status/status-command.ts';
import { printWhy } from '../../src/cli/why/why-command.ts';
import { heldReasons } from '../../src/operator/api/shared-api.ts';
import { type Given, planeOf, ready } from './why/objects.ts';

async function exits(given: Partial<Given>): Promise<{ readonly why: number; readonly status: number }> {
  const { transport } = planeOf({ renewed: 3, objects: [ready('Cluster', 'etl', given)] });
  const reach = { objects: new Objects(transport, 'team'), transport } as Reach;
  const printer = { print: async () => {}, tell: () => {}, isColoured: false } as unknown as Printer;
  const named = objectNamed(['cluster/etl']);
  if (typeof named === 'string') expect.fail(named);
  return {
    why: await printWhy(reach, { object: named, format: 'text', operatorNamespace: undefined }, printer),
    status: await printStatus(reach, { format: 'text', allNamespaces: false }, printer),
  };
}

const codes: Readonly<Record<string, number>> = {
  Available: 0,
  InvalidSpec: 1,
  Suspended: 0,
  PlanPending: 1,
  Expired: 0,
};

test.each(Object.entries(codes))('%s', async (reason, code) => {
  const status = reason === 'Available' ? 'True' : 'False';
  const exit = await exits({ reason, message: 'why', status, stalled: reason === 'InvalidSpec' });
  expect(exit).toEqual({ why: code, status: code });
});

test('each reason with which the operator holds an object is among these', () => {
  expect(Object.keys(codes)).toEqual(expect.arrayContaining([...heldReasons]));
});
