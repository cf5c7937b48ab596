// From where the files of jobs are not fetched, as far as the service knows its surroundings.
import { expect, onTestFinished, test } from 'vitest';
import { pods } from '../../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../../src/service/backends/pods/api/informers.ts';
import { fetchRulesOf } from '../../../../src/service/backends/pods/fetch-rules.ts';
import { FakeTransport } from '../../../operator/kube/support/fake-transport.ts';
import { fixedRandom, recordingLog } from '../../../operator/kube/support/ports.ts';
import { ManualClock, settle } from '../../../support/clock.ts';

const flags = {
  'allow-fetch-from': ['10.9.0.0/16'],
  'deny-fetch-from': ['10.8.0.0/16'],
  'cluster-domain': 'cluster.local',
};
const surroundings = { server: 'https://plane.example:6443', isInside: false, informers: { list: () => [] } };

const listEnd = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

test('the API server is refused by its name or its address, and Services only in the cluster', () => {
  const rules = fetchRulesOf(flags, surroundings);
  expect([rules, rules.deniedHosts?.()]).toMatchObject([
    { allowed: ['10.9.0.0/16'], denied: ['10.8.0.0/16'], clusterDomain: undefined },
    ['plane.example'],
  ]);
  const inside = fetchRulesOf(flags, { ...surroundings, server: 'https://[fd00::1]:443', isInside: true });
  expect([inside.clusterDomain, inside.deniedHosts?.()]).toEqual(['cluster.local', ['fd00::1']]);
});

test('all addresses of the pods that are watched for any cluster or run are refused, and of their nodes, until the pods are gone', async () => {
  const [clock, transport] = [new ManualClock(), new FakeTransport()];
  const informers = new Informers({ clock, transport, random: fixedRandom(0.5), log: recordingLog() });
  onTestFinished(() => informers.close());
  const denied = () => fetchRulesOf(flags, { ...surroundings, informers }).deniedHosts?.();
  for (const namespace of ['one', 'two']) {
    informers.observe({ namespace, kinds: [pods], labels: { 'dataprocessing.dev/cluster-id': 'a' } });
    await settle();
    const metadata = { name: 'a-0', namespace, uid: namespace, resourceVersion: '1', labels: { cluster: 'of others' } };
    const node = `10.2.0.${namespace.length}`;
    const status = {
      podIP: `10.1.0.${transport.streams.length}`,
      podIPs: [{ ip: `10.1.0.${transport.streams.length}` }, { ip: `fd00::${transport.streams.length}` }],
      hostIP: node,
      hostIPs: [{ ip: node }, { ip: 'fd00::100' }],
    };
    await transport.newest.send({ type: 'ADDED', object: { metadata, status } }, listEnd);
  }
  expect(new Set(denied())).toEqual(
    new Set(['plane.example', '10.1.0.1', 'fd00::1', '10.1.0.2', 'fd00::2', '10.2.0.3', 'fd00::100']),
  );
  const metadata = { name: 'a-0', namespace: 'two', uid: 'two', resourceVersion: '12' };
  await transport.newest.send({ type: 'DELETED', object: { metadata } });
  expect(denied()).not.toContain('10.1.0.2');
  expect(denied()).toContain('10.1.0.1');
});
