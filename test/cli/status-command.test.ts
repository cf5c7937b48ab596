// `status` looks at the SharedConnections, too, which are in no namespace and which most users may not list.
import { describe, expect, test } from 'vitest';
import { Objects } from '../../src/cli/objects.ts';
import type { Printer } from '../../src/cli/output/run-output.ts';
import type { Reach } from '../../src/cli/reach.ts';
import { printStatus } from '../../src/cli/status/status-command.ts';
import { object, type Plane, planeOf, ready } from './why/objects.ts';

const none = { metadata: { namespace: undefined } };
const broken = object('SharedConnection', 'platform', {
  reason: 'Unauthorized',
  message: '401',
  stalled: true,
  ...none,
});
const [cluster, shared] = [ready('Cluster', 'etl'), ready('SharedConnection', 'platform', none)];

async function status(plane: Plane, allNamespaces = false) {
  let printed = '';
  const { transport, reads } = planeOf(plane);
  const reach = { objects: new Objects(transport, 'team'), transport } as Reach;
  const print = async (bytes: Uint8Array) => void (printed += Buffer.from(bytes).toString());
  const printer = { print, tell: () => {}, isColoured: false } as unknown as Printer;
  return { code: await printStatus(reach, { format: 'text', allNamespaces }, printer), printed, reads };
}

describe('SharedConnections', () => {
  test('are counted as Connections are', async () => {
    const { code, printed, reads } = await status({ objects: [cluster, shared] });
    expect(printed).toBe(`\
Objects in namespace team
KIND              TOTAL  READY  OTHERS
SharedConnection  1      1
Cluster           1      1

All are ready.
`);
    expect(code).toBe(0);
    expect(reads).toContain('/apis/dataprocessing.dev/v1alpha1/sharedconnections');
  });

  test.each([false, true])('are listed without a namespace if they are not ready; all namespaces: %s', async (all) => {
    const { code, printed } = await status({ objects: [cluster, broken] }, all);
    expect(printed).toContain('\nsharedconnection/platform  stalled Unauthorized: 401\n');
    expect(code).toBe(1);
  });

  test('that may not be listed take one line, and nothing is wrong', async () => {
    const { code, printed } = await status({ objects: [cluster, broken], refused: { sharedconnections: 'forbidden' } });
    expect(printed).toBe(`\
Objects in namespace team
KIND     TOTAL  READY  OTHERS
Cluster  1      1
SharedConnection  cannot be read: no role of yours allows "list" on sharedconnections

All are ready.
`);
    expect(code).toBe(0);
  });

  test('that are not served are something wrong', async () => {
    const { code, printed } = await status({ objects: [cluster], refused: { sharedconnections: 'kindAbsent' } });
    expect(printed).toMatch(/SharedConnection *cannot be read: cannot get: 404/);
    expect(code).toBe(1);
  });
});

test('other kinds that may not be listed are something wrong', async () => {
  const { code, printed } = await status({ objects: [cluster], refused: { jobs: 'forbidden' } });
  expect(printed).toContain('Job        cannot be read: forbidden');
  expect(code).toBe(1);
});
