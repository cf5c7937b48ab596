// Whatever becomes of their requests and of themselves, no two replicas lead at once, and one leads soon when all is well.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { FakeLeases, weathers } from '../support/fake-leases.ts';
import { leasePath, Replica, times } from '../support/replica.ts';

const names = ['a', 'b', 'c'];
const which = fc.nat(names.length - 1);
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 9_000 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('weather' as const), which, weather: fc.constantFrom(...weathers) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('freeze' as const, 'thaw' as const), which }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('stop' as const, 'label' as const), which }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

class Race {
  readonly clock = new ManualClock();
  readonly leases = new FakeLeases();
  #starts = 0;
  readonly replicas: Replica[] = names.map((name) => this.#start(name));

  #start(name: string): Replica {
    this.#starts += 1;
    const random = (this.#starts * 0.37) % 1;
    return new Replica(`${name}-${this.#starts}`, { leases: this.leases, clock: this.clock, random }).stand();
  }

  async act(one: Happening): Promise<void> {
    if (one.act === 'wait') return this.wait(one.ms);
    const replica = this.replicas[one.which];
    switch (one.act) {
      case 'weather':
        if (replica) replica.line.weather = one.weather;
        return;
      case 'freeze':
        return replica?.freeze();
      case 'thaw':
        return replica?.thaw();
      case 'stop':
        void replica?.stop();
        this.replicas[one.which] = this.#start(names[one.which] ?? '');
        return;
      case 'label':
        if (this.leases.get(leasePath)) this.leases.put(leasePath, { metadata: { labels: { at: `${this.#starts}` } } });
    }
  }

  /** A replica that lost its lease ends, and another one is started in its place. */
  async wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      await this.clock.advance(Math.min(left, 100));
      expect(this.leaders().length, this.leaders().join(' and ')).toBeLessThanOrEqual(1);
      this.replicas.forEach(({ lost }, index) => {
        if (lost > 0) this.replicas[index] = this.#start(names[index] ?? '');
      });
    }
  }

  leaders(): readonly string[] {
    return this.replicas.flatMap((replica, index) => (replica.leads() ? [names[index] ?? ''] : []));
  }
}

test('of three replicas', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 30 }), async (happenings) => {
      const race = new Race();
      for (const one of happenings) await race.act(one);
      for (const replica of race.replicas) {
        replica.line.weather = 'fine';
        replica.thaw();
      }
      // A call that hangs now, a lease that somebody left behind, and a standby that looks late.
      await race.wait(times.renewDeadlineMs / 2 + times.durationMs + times.retryMs + 2_000);
      expect(race.leaders()).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});
