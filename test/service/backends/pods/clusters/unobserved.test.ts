// Clusters whose objects cannot be observed for longer than any call may take: nothing ends because of it.
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../../../../src/kube/api-error.ts';
import type { StreamCall } from '../../../../../src/kube/http/call.ts';
import { pods } from '../../../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../../../src/service/backends/pods/api/informers.ts';
import { untilHolds } from '../../../../../src/service/backends/pods/api/until.ts';
import type { ClusterOrder, Provisioner } from '../../../../../src/service/backends/provisioner.ts';
import { createSimulatedProvisioner } from '../../../../../src/service/backends/simulated-provisioner.ts';
import { CannotLook } from '../../../../../src/service/model/disk/transient.ts';
import { createSeededRandom } from '../../../../../src/service/model/records/identifiers.ts';
import { callWithin } from '../../../../../src/service/model/stages/interruption.ts';
import { type Json, serve, startBody } from '../../../../contract/support.ts';
import { FakeTransport } from '../../../../operator/kube/support/fake-transport.ts';
import { fixedRandom, recordingLog } from '../../../../operator/kube/support/ports.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { sparkCluster } from './scene.ts';
import { openService, StandIn } from './stand-in.ts';

const minute = 60_000;
const path = '/v1.0/t/clusters';
const node_groups = [{ name: 'g', count: 2, flavor_id: '1', node_processes: ['namenode'] }];
const simulated = createSimulatedProvisioner(createSeededRandom(3));

const listEnd = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

/** An API server that lets nobody watch anything for a while. */
class Unwatched extends FakeTransport {
  refusal: Error | undefined;

  override async stream(call: StreamCall): Promise<AsyncIterable<unknown>> {
    if (this.refusal !== undefined) this.refusals.push(this.refusal);
    const values = await super.stream(call);
    void this.newest.send(listEnd);
    return values;
  }
}

test.each([
  ['does not answer', new ApiError('unreachable', 'cannot watch pods data: ECONNREFUSED'), 'ECONNREFUSED'],
  [
    'refuses',
    new ApiError('forbidden', 'cannot watch pods data: 403 User "service" cannot watch resource "pods"', {
      status: 403,
    }),
    'resource "pods": grant it what deploy/provisioner/role.yaml has, in this namespace',
  ],
])('a cluster is Active although the API server %s for 20 minutes', async (_what, refusal, reason) => {
  const [clock, transport] = [new ManualClock(), new Unwatched()];
  transport.refusal = refusal;
  transport.otherwise = refusal;
  const informers = new Informers({ clock, transport, random: fixedRandom(0.5), log: recordingLog() });
  onTestFinished(() => informers.close());
  const launch: Provisioner['launch'] = async (order: ClusterOrder, machines) => {
    const observed = informers.observe({ namespace: 'data', kinds: [pods], labels: {} });
    await untilHolds(observed, { seems: () => true, holds: async () => true }, order);
    return await simulated.launch(order, machines);
  };
  const peer = await serve({ clock, provisioner: { ...simulated, launch } });
  const { cluster } = (await peer.post(path, { ...startBody, node_groups })).body;
  const read = async (): Promise<Json> => (await peer.get(`${path}/${cluster.id}`)).body.cluster;
  let described = '';
  for (let minutes = 0; minutes < 20; minutes += 1) {
    await clock.advance(minute);
    const { status, status_description: text } = await read();
    expect(status).toBe('Waiting');
    if (text.startsWith('cannot look: ')) described = text;
  }
  expect(described).toContain('cannot look: cannot watch pods in namespace data: ');
  expect(described).toContain(reason);
  expect(described).toMatch(/[^g]; trying again$/);
  transport.refusal = undefined;
  await clock.advance(5 * minute);
  expect((await read()).status).toBe('Active');
});

class WithExec extends StandIn {
  async exec(): Promise<string> {
    return '';
  }
}

test.each([
  ['cannot be asked', new CannotLook('cannot look: 403'), CannotLook, 'cannot look: 403'],
  ['do not answer', new Error('ECONNREFUSED'), Error, 'configure took longer than 60 s'],
])('processes that %s until the deadline', async (_what, cause, kind, message) => {
  const { clock, provisioner, orderOf } = openService(new WithExec(), { get: () => Promise.reject(cause) });
  const cluster = sparkCluster(1);
  await provisioner.launch(orderOf(cluster), []);
  const limits = { clock, name: 'configure', deadlineMs: minute, reportIgnored: () => undefined };
  const configuring = callWithin({ ...limits, signal: new AbortController().signal }, (signal) =>
    provisioner.configure({ ...orderOf(cluster), signal }, { added: [], removed: [] }),
  );
  configuring.catch(() => undefined);
  for (let second = 0; second < 65; second += 1) await clock.advance(1000);
  await expect(configuring).rejects.toThrow(kind);
  await expect(configuring).rejects.toThrow(message);
});
