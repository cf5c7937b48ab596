// Who does not lead reads, watches and writes nothing.
import { describe, expect, test } from 'vitest';
import { EventSender } from '../../../src/operator/kube/events/events.ts';
import { whileLeading } from '../../../src/operator/wiring/leadership.ts';
import { ManualClock, settle } from '../../support/clock.ts';
import { FakeTransport } from '../kube/support/fake-transport.ts';
import { recordingLog } from '../kube/support/ports.ts';

const path = '/apis/dataprocessing.dev/v1alpha1/namespaces/team-a/clusters/etl';

function open() {
  const inner = new FakeTransport();
  inner.otherwise = {};
  const state = { leads: true };
  return { inner, state, transport: whileLeading(inner, { leading: () => state.leads }) };
}

describe('a replica that does not lead', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('is refused its %s, unsent, as a conflict', async (method) => {
    const { inner, state, transport } = open();
    await transport.request({ method, path });
    state.leads = false;
    await expect(transport.request({ method, path })).rejects.toMatchObject({
      category: 'conflict',
      message: expect.stringMatching(/^cannot \w+ clusters team-a\/etl: another replica may lead$/),
    });
    expect(inner.calls).toHaveLength(1);
  });

  test('reads and watches', async () => {
    const { inner, state, transport } = open();
    state.leads = false;
    await transport.request({ method: 'GET', path });
    await transport.stream({ path, signal: new AbortController().signal, idleMs: 1_000 });
    expect([inner.calls.length, inner.streams.length]).toEqual([1, 1]);
  });

  test('records no events', async () => {
    const { inner, state, transport } = open();
    const clock = new ManualClock();
    const common = { component: 'x', instance: 'y', ratePerSecond: 10, burst: 10 };
    const events = new EventSender({ transport, clock, log: recordingLog(), ...common });
    state.leads = false;
    const metadata = { namespace: 'team-a', name: 'etl', uid: 'u', resourceVersion: '1' };
    const regarding = { apiVersion: 'dataprocessing.dev/v1alpha1', kind: 'Cluster', metadata };
    events.emit({ regarding, type: 'Normal', reason: 'Created', action: 'Create', note: 'n' });
    await settle();
    expect([inner.calls, events.counts()]).toEqual([[], { sent: 0, dropped: 0, failed: 1 }]);
  });
});
