// How many objects may expire at once: few, or a share of many, whatever the wall clock says.
import { expect, test } from 'vitest';
import { ExpiryLimit } from '../../../src/operator/wiring/expiry-limit.ts';

const key = (name: string) => ({ kind: 'Cluster', namespace: 'team', name });

test.each([
  [3, 3],
  [10, 5],
  [25, 5],
  [100, 20],
])('of %i, %i may go within ten minutes', (total, allowed) => {
  let now = 0;
  const limit = new ExpiryLimit({ monotonic: () => now }, () => total);
  const all = Array.from({ length: total }, (_, index) => key(`c${index}`));
  expect(all.filter((one) => limit.admit(one))).toHaveLength(allowed);
  now += 10 * 60_000 - 1;
  expect(all.filter((one) => limit.admit(one))).toHaveLength(allowed);
  now += 1;
  expect(all.filter((one) => limit.admit(one))).toHaveLength(allowed);
});
