// The alerts on the event loop: blocks that take a small share of the time raise them, and a single one does not.
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { measureLoopDelay } from '../../../src/lib/system.ts';
import { measureProcess } from '../../../src/operator/metrics/process-metrics.ts';
import { createMetrics } from '../../../src/service/api/http/metrics.ts';
import { readAlerts } from './expressions.ts';

const names = ['DataprocessingOperatorEventLoopSlow', 'DataprocessingServiceEventLoopSlow'] as const;
const scrapesAMinute = 2;
/** The delay of a loop that is not blocked, in seconds: that of the timer which measures it. */
const calm = 0.012;

interface Rule {
  readonly metric: string;
  readonly rangeMinutes: number;
  readonly threshold: number;
  readonly forMinutes: number;
}

async function ruleOf(name: string): Promise<Rule> {
  const { expr = '', for: time = '' } = (await readAlerts()).find(({ alert }) => alert === name) ?? {};
  const [, metric = '', range, threshold] = /max_over_time\((\w+)\[(\d+)m\]\).* > ([\d.]+)$/.exec(expr) ?? [];
  return {
    metric,
    rangeMinutes: Number(range),
    threshold: Number(threshold),
    forMinutes: Number.parseInt(time, 10),
  };
}

/** Whether the rule fires within two hours. `maximum`: the longest delay within the scrape at this minute. */
function fires({ rangeMinutes, threshold, forMinutes }: Rule, maximum: (minute: number) => number): boolean {
  const maxima = Array.from({ length: 120 * scrapesAMinute }, (_, index) => maximum(index / scrapesAMinute));
  let pendingFrom: number | undefined;
  return maxima.some((_, index) => {
    const within = maxima.slice(Math.max(0, index + 1 - rangeMinutes * scrapesAMinute), index + 1);
    pendingFrom = Math.max(...within) > threshold ? (pendingFrom ?? index) : undefined;
    return pendingFrom !== undefined && index - pendingFrom >= forMinutes * scrapesAMinute;
  });
}

describe.each(names)('%s', (name) => {
  test.each<readonly [what: string, expected: boolean, maximum: (minute: number) => number]>([
    ['no block', false, () => calm],
    ['one block at the start', false, (minute) => (minute === 0 ? 20 : calm)],
    ['a block every half hour', false, (minute) => (minute % 30 === 0 ? 1 : calm)],
    ['short blocks in each scrape', false, () => 0.2],
    ['a block of a second in each scrape', true, () => 1],
    ['a block of a second each minute', true, (minute) => (minute % 1 === 0 ? 1 : calm)],
    ['a block of a second every four minutes', true, (minute) => (minute % 4 === 0 ? 1 : calm)],
  ])('%s', async (_what, expected, maximum) => {
    expect(fires(await ruleOf(name), maximum)).toBe(expected);
  });
});

/** The value of the metric that the alert reads. */
async function scraped(registry: Registry, name: string): Promise<number> {
  const { metric } = await ruleOf(name);
  const [, value] = new RegExp(`^${metric} (.*)$`, 'm').exec(await registry.metrics()) ?? [];
  return Number(value);
}

test('one block among hundreds of turns is in the metrics that the alerts read, and the next scrape begins anew', async () => {
  const ofOperator = new Registry();
  measureProcess(ofOperator);
  onTestFinished(() => ofOperator.clear());
  const ofService = createMetrics({ volume: undefined, loopDelay: measureLoopDelay() });
  const registries = [ofOperator, ofService] as const;
  // The first scrape takes what the other tests of this process did.
  for (const registry of registries) await registry.metrics();
  for (let turn = 0; turn < 300; turn += 1) await sleep(10);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await sleep(50);
  for (const [index, registry] of registries.entries()) {
    const name = names[index] ?? '';
    const seen = await scraped(registry, name);
    expect(seen).toBeGreaterThan((await ruleOf(name)).threshold);
    expect(await scraped(registry, name)).toBeLessThan(seen);
  }
});
