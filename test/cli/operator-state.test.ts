// Where the Lease of an operator is found, and which namespaces its Deployment watches.
import { expect, test } from 'vitest';
import { readOperatorState } from '../../src/cli/operator-state.ts';
import type { ApiCall } from '../../src/kube/http/call.ts';
import type { PodTransport } from '../../src/kube/http/transport.ts';

const now = Date.parse('2026-11-28T12:00:00Z');
const leaseIn = (namespace: string, secondsAgo: number, holder = 'operator-1') => ({
  metadata: { namespace },
  spec: {
    holderIdentity: holder,
    leaseDurationSeconds: 15,
    renewTime: new Date(now - secondsAgo * 1_000).toISOString(),
  },
});
const at = (namespace: string, plural: string): string => {
  const root = plural === 'leases' ? '/apis/coordination.k8s.io/v1' : '/apis/apps/v1';
  return `${root}/namespaces/${namespace}/${plural}/dataprocessing-operator`;
};
const everywhere = '/apis/coordination.k8s.io/v1/leases';

/** Answers by path; a number is a status, and anything else is not there. */
function read(found: Readonly<Record<string, object | number>>, operatorNamespace?: string) {
  const open = async ({ path }: ApiCall) => {
    const value = found[path] ?? 404;
    const bytes = (async function* () {
      yield Buffer.from(JSON.stringify(value));
    })();
    return { status: typeof value === 'number' ? value : 200, date: new Date(now).toUTCString(), bytes };
  };
  // The clock of this computer is wrong: that of the API server counts.
  const transport = { open, clock: { wall: () => 0 } } as unknown as PodTransport;
  return readOperatorState(transport, { operatorNamespace, namespace: 'team' });
}

test.each<[string, Readonly<Record<string, object | number>>, object]>([
  [
    'in the usual namespace',
    { [at('dataprocessing-system', 'leases')]: leaseIn('dataprocessing-system', 3) },
    { state: 'running', namespace: 'dataprocessing-system' },
  ],
  [
    'in the namespace of the objects',
    { [at('team', 'leases')]: leaseIn('team', 3) },
    { state: 'running', namespace: 'team' },
  ],
  [
    'anywhere else, the newest',
    { [everywhere]: { items: [leaseIn('old', 900), leaseIn('new', 3)] } },
    { state: 'running', namespace: 'new' },
  ],
  ['not renewed', { [at('team', 'leases')]: leaseIn('team', 40) }, { state: 'stopped', renewedAt: now - 40_000 }],
  ['released', { [at('team', 'leases')]: leaseIn('team', 3, '') }, { state: 'stopped', holder: '' }],
  ['not there', {}, { state: 'absent', namespace: 'dataprocessing-system' }],
  ['not to be read', { [at('dataprocessing-system', 'leases')]: 403 }, { state: 'unknown' }],
])('a Lease %s', async (_what, found, state) => {
  expect(await read(found)).toMatchObject({ ...state, now });
});

test('a namespace that the user gives is the only one that counts', async () => {
  const found = { [at('team', 'leases')]: leaseIn('team', 3), [everywhere]: { items: [leaseIn('team', 3)] } };
  expect(await read(found, 'system')).toMatchObject({ state: 'absent', namespace: 'system' });
});

test.each<[string, object, readonly string[] | undefined]>([
  ['all', {}, []],
  ['those of the variable', { env: [{ name: 'DATAPROCESSING_NAMESPACES', value: 'a, b' }] }, ['a', 'b']],
  ['those of the flag', { args: ['--namespaces', 'a,b'] }, ['a', 'b']],
  ['those of the flag in one word', { args: ['--namespaces=a'] }, ['a']],
  [
    'its own',
    { env: [{ name: 'DATAPROCESSING_NAMESPACES', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }] },
    ['team'],
  ],
  ['unknown ones', { env: [{ name: 'DATAPROCESSING_NAMESPACES', valueFrom: { configMapKeyRef: {} } }] }, undefined],
])('the Deployment watches %s', async (_what, container, watched) => {
  const deployment = {
    spec: { replicas: 2, template: { spec: { containers: [{ image: 'x:1', ...container }] } } },
    status: { readyReplicas: 1 },
  };
  const found = { [at('team', 'leases')]: leaseIn('team', 3), [at('team', 'deployments')]: deployment };
  const state = await read(found);
  expect(state).toMatchObject({ image: 'x:1', replicas: { ready: 1, wanted: 2 } });
  expect(state.watched).toEqual(watched);
});
