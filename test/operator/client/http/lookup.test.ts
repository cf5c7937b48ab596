// Host names: those for which no answer comes leave the others the threads that they need.
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { Lookups, threads } from '../../../../src/operator/client/http/lookup.ts';
import { createService, type Service, type ServiceOptions } from '../../../../src/operator/client/service-client.ts';
import { noCredentials } from '../../../../src/operator/client/service-credentials.ts';
import { serve } from '../support/servers.ts';

const limits = { requestsPerSecond: 20, burst: 1e6, maxInFlight: 100 };

function connectTo(endpoint: string, options: Partial<ServiceOptions>): Service {
  const common = { tenant: 't', dialect: 'neutral', credentials: noCredentials(), clock: systemClock } as const;
  const service = createService({ ...common, endpoint, timeoutMs: 5_000, limits, ...options });
  onTestFinished(() => service.close());
  return service;
}

/** As getaddrinfo does it: a name without an answer never gives its thread back. */
function poolOf(free: number): LookupFunction {
  const waiting: (() => void)[] = [];
  const work = (): void => {
    const next = free > 0 ? waiting.shift() : undefined;
    if (next === undefined) return;
    free -= 1;
    next();
  };
  return (name, { all }, callback) => {
    waiting.push(() => {
      if (name.startsWith('dead')) return;
      free += 1;
      callback(null, all === true ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4);
      setImmediate(work);
    });
    setImmediate(work);
  };
}

describe('a service by its name', () => {
  test.each<readonly [string, string, Partial<ServiceOptions>]>([
    ['services', 'http://dead.test', {}],
    ['services at https', 'https://dead.test', {}],
    ['proxies', 'http://service.test', { proxies: { http: 'http://dead.test', none: [] } }],
    ['proxies that make tunnels', 'https://service.test', { proxies: { https: 'http://dead.test', none: [] } }],
  ])('is reached beside %s whose names get no answer', async (what, origin, options) => {
    const { port } = await serve(() => ({ body: { plugins: [] } }));
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(poolOf(4) as typeof dns.lookup);
    onTestFinished(() => lookup.mockRestore());
    // A name of its own for each case: those of the cases before are still asked for.
    const own = (text: string | undefined, n: number) =>
      text?.replace('dead', `dead-${what.replaceAll(' ', '-')}-${n}`);
    const dead = [1, 2, 3].map((n) => {
      const { http, https, none = [] } = options.proxies ?? {};
      const proxies = { http: own(http, n), https: own(https, n), none };
      return connectTo(own(origin, n) ?? '', { proxies, timeoutMs: 200 });
    });
    const calls = dead.flatMap((service) => Array.from({ length: 20 }, async () => service.plugins()));
    const ended = await Promise.allSettled(calls);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(await connectTo(`http://localhost:${port}`, {}).plugins()).toEqual([]);
  });
});

/** Lookups whose answers the test gives. */
class Bench {
  readonly asked: { readonly name: string; readonly answer: Parameters<LookupFunction>[2] }[] = [];
  readonly #lookups = new Lookups((name, _options, answer) => this.asked.push({ name, answer }));

  get names(): readonly string[] {
    return this.asked.map(({ name }) => name);
  }

  /** The address, or the code of the error. */
  ask(name: string, family = 0): Promise<string> {
    return new Promise((resolve) =>
      this.#lookups.lookup(name, { family }, (error, address) => resolve(error?.code ?? (address as string))),
    );
  }

  /** To the longest waiting question for this name. */
  answer(name: string, address: string | undefined): void {
    const at = this.asked.findIndex((question) => question.name === name);
    const [question] = this.asked.splice(at, 1);
    const error = address === undefined ? Object.assign(new Error('none'), { code: 'EAI_AGAIN' }) : null;
    question?.answer(error, address ?? '', 4);
  }
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
/** What libuv lends to getaddrinfo. */
const lent = threads / 2;

describe('a name', () => {
  test('is asked for once for all who want it the same way, and anew when they have their answer', async () => {
    const bench = new Bench();
    const asked = [bench.ask('a'), bench.ask('a'), bench.ask('a', 6)];
    expect(bench.names).toEqual(['a', 'a']);
    bench.answer('a', '10.0.0.1');
    bench.answer('a', 'fd00::1');
    expect(await Promise.all(asked)).toEqual(['10.0.0.1', '10.0.0.1', 'fd00::1']);
    const again = [bench.ask('a'), bench.ask('a')];
    bench.answer('a', undefined);
    expect(await Promise.all(again)).toEqual(['EAI_AGAIN', 'EAI_AGAIN']);
  });

  test('that had an answer the last time does not wait for any number of those that had none', async () => {
    const bench = new Bench();
    const first = bench.ask('good');
    bench.answer('good', '10.0.0.1');
    await first;
    for (const name of numbered('dead', 1_000)) void bench.ask(name);
    const hanging = bench.asked.length;
    expect(hanging).toBeGreaterThan(threads / 8);
    const good = bench.ask('good');
    expect(bench.asked.length).toBe(hanging + 1);
    bench.answer('good', '10.0.0.2');
    expect(await good).toBe('10.0.0.2');
    for (const name of numbered('dead', 1_000)) bench.answer(name, undefined);
    expect(bench.asked).toEqual([]);
  });

  test('that has none any more does not keep back the others for longer than once', async () => {
    const bench = new Bench();
    const names = numbered('late', 100);
    const learn = Promise.all([...names, 'good'].map((name) => bench.ask(name)));
    for (const name of [...names, 'good']) bench.answer(name, '10.0.0.1');
    await learn;
    const failed = Promise.all(names.map((name) => bench.ask(name)));
    expect(bench.asked.length).toBeLessThan(lent);
    for (const name of names) bench.answer(name, undefined);
    await failed;
    for (const name of names) void bench.ask(name);
    const good = bench.ask('good');
    bench.answer('good', '10.0.0.1');
    expect(await good).toBe('10.0.0.1');
  });

  test('leaves threads for names that others ask for, however many are wanted', async () => {
    const bench = new Bench();
    const names = numbered('known', 100);
    const learn = Promise.all(names.map((name) => bench.ask(name)));
    for (const name of names) bench.answer(name, '10.0.0.1');
    await learn;
    for (const name of [...names, ...numbered('new', 100)]) void bench.ask(name);
    expect(bench.asked.length).toBeLessThan(lent);
  });
});
