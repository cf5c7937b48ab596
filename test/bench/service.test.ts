// The targets of the benchmark of the service. The benchmark itself: service.long.test.ts.
import { expect, test } from 'vitest';
import { compareWithTargets } from '../../dev/bench-service/targets.ts';

test('a target is met at its limit, and not a little before it', () => {
  const figure = (perSecond: number, cpuMs: number) => ({
    requests: 1,
    seconds: 1,
    perSecond,
    milliseconds: { p50: 1, p99: 1, max: 1 },
    loop: { delayMaxMs: 1, longestGap: { wallMs: 500, cpuMs }, busiestGap: { wallMs: 1, cpuMs } },
    rssMiB: 1,
    cpuSeconds: 1,
  });
  const noise = (version: string, p99: number) => ({
    version,
    runs: 5,
    cpuShare: 1,
    rssMiB: 1,
    healthz: { p50: 1, p99: 1, max: 1 },
    get: { p50: 1, p99, max: p99 },
  });
  const compare = (less: number) =>
    compareWithTargets({
      createInMemory: figure(1000 - less, 0),
      createPersistent: figure(300 - less, 0),
      read: figure(3000 - less, 0),
      list: { ...figure(1, 100 + less), clusters: 10_000, mib: 1 },
      noisy: [noise('this', 100 + less), noise('base', 5000)],
    });
  expect(Object.values(compare(0)).map(({ met }) => met)).toEqual([true, true, true, true, true]);
  expect(Object.values(compare(1)).map(({ met }) => met)).toEqual([false, false, false, false, false]);
});
