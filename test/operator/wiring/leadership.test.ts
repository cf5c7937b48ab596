// Leadership as the operator puts it together: what its figures say before and after the lease was seen.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createLeaderParts } from '../../../src/operator/wiring/leadership.ts';
import { ManualClock } from '../../support/clock.ts';
import { FakeTransport } from '../kube/support/fake-transport.ts';
import { linesOf } from '../metrics/figures.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

test('the changes of a lease are told once it was read, as all that it has had', async () => {
  const registry = new Registry();
  const transport = new FakeTransport();
  const lease = { namespace: 'ours', durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000, lost() {} };
  const options = { instance: 'one', clock: new ManualClock(), random: { next: () => 0.5 }, log, lease };
  const [part] = createLeaderParts(options, transport, registry).parts(() => true);
  expect(await linesOf(registry, 'lease')).toEqual([]);

  const spec = { holderIdentity: 'another', leaseDurationSeconds: 15, leaseTransitions: 50 };
  transport.answers.push({ metadata: { resourceVersion: '1' }, spec });
  const standing = new AbortController();
  const started = part?.start?.(standing.signal);
  await expect.poll(() => linesOf(registry, 'lease')).toEqual(['lease_transitions_total 50']);
  standing.abort();
  await started;
});
