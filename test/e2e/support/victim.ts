// Kills the operator when a certain request passes on its way to the service.
import type { Program } from '../../../dev/demo/programs.ts';
import type { Bench } from './bench.ts';
import { isWrite, type Moment, type Passing, type Proxy } from './proxy.ts';

export type Chance = () => number;

/** The same numbers for the same seed (mulberry32), so that a failure can be tried again. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const moments: readonly Moment[] = ['arrived', 'answered', 'done'];

export interface Target {
  readonly count: number;
  readonly what: 'write' | 'request';
  readonly moment: Moment;
}

/** Mostly the next write, where most can go wrong; sometimes any of the first requests. */
export function chooseTarget(chance: Chance): Target {
  const what = chance() < 0.7 ? 'write' : 'request';
  const count = what === 'write' ? 1 : 1 + Math.floor(chance() * 8);
  return { what, count, moment: moments[Math.floor(chance() * moments.length)] ?? 'arrived' };
}

/** Kills it, and frees the lease that it leaves behind, which nobody else would take before its time. */
export async function killForGood(bench: Bench, victim: Program): Promise<void> {
  await victim.end('SIGKILL', 10_000);
  await bench.objects.remove(bench.lease);
}

/** Runs an operator until the target passes or, when it never does, until `over` resolves; then kills it. Answers with what it died of. */
export async function runAndKill(
  bench: Bench,
  proxy: Proxy,
  round: { readonly target: Target; readonly over: (signal: AbortSignal) => Promise<unknown> },
): Promise<string> {
  const { target, over } = round;
  const hit = Promise.withResolvers<string>();
  let left = target.count;
  const args = ['--health-address', '127.0.0.1:0', ...bench.operatorFlags()];
  // Its first request comes long after this: it has to be loaded first.
  const victim = bench.watch(await bench.programs.start({ name: 'victim', script: 'src/operator/main.ts', args }));
  proxy.listen((passing) => {
    if (!fits(passing, target)) return;
    left -= 1;
    // Requests that were on their way already may pass after it.
    if (left !== 0) return;
    // At once: the rest of the request goes its way without the one that sent it.
    process.kill(victim.pid, 'SIGKILL');
    hit.resolve(`${passing.method} ${passing.path} ${passing.moment}`);
  });
  const giveUp = new AbortController();
  const settled = over(giveUp.signal).then(() => 'all was done before');
  settled.catch(() => undefined);
  try {
    const cause = await Promise.race([hit.promise, settled]);
    await killForGood(bench, victim);
    return cause;
  } finally {
    proxy.listen(undefined);
    giveUp.abort(new Error('the round is over'));
  }
}

function fits(passing: Passing, { what, moment }: Target): boolean {
  return passing.moment === moment && (what === 'request' || isWrite(passing));
}
