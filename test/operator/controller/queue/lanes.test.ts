// The lanes: limits, turns, and how long polls wait behind changes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lanes, patience, type Start } from '../../../../src/operator/controller/queue/lanes.ts';

/** Those who are served until there is no room; nobody ends. */
function fill(lanes: Lanes): string[] {
  const served: string[] = [];
  for (let start = lanes.next(); start !== undefined; start = lanes.next()) served.push(start.key);
  return served;
}

/** Those who are served one after the other. */
function serve(lanes: Lanes): string[] {
  const served: string[] = [];
  for (let start = lanes.next(); start !== undefined; start = lanes.next()) {
    served.push(start.key);
    lanes.done(start.lane);
  }
  return served;
}

function crowd(lanes: Lanes, lane: string, count: number): readonly string[] {
  const keys = Array.from({ length: count }, (_, n) => `${lane}${n}`);
  for (const key of keys) lanes.join(key, lane, 'change');
  return keys;
}

describe('within a lane', () => {
  test('changes come before polls, each in the order of joining', () => {
    const lanes = new Lanes(() => 1);
    for (const n of [1, 2])
      for (const priority of ['poll', 'change'] as const) lanes.join(`${priority}${n}`, 'a', priority);
    expect(serve(lanes)).toEqual(['change1', 'change2', 'poll1', 'poll2']);
  });

  test('a poll comes after some changes, however many more wait', () => {
    const lanes = new Lanes(() => 1);
    for (const n of [1, 2]) lanes.join(`poll${n}`, 'a', 'poll');
    crowd(lanes, 'a', 5 * patience);
    const served = serve(lanes);
    expect([served.indexOf('poll1'), served.indexOf('poll2')]).toEqual([patience, 2 * patience + 1]);
    lanes.join('poll3', 'a', 'poll');
    lanes.join('late', 'a', 'change');
    expect(serve(lanes)).toEqual(['late', 'poll3']);
  });
});

describe('lanes', () => {
  test('are served in turn, so that a long one does not hold up a short one', () => {
    const lanes = new Lanes(() => 100);
    crowd(lanes, 'noisy', 50);
    lanes.join('quiet', 'quiet', 'poll');
    expect(fill(lanes).slice(0, 3)).toEqual(['noisy0', 'quiet', 'noisy1']);
  });

  test('have room of their own, however many hang in others', () => {
    const lanes = new Lanes((lane) => (lane === 'quiet' ? 16 : 1_000));
    for (let n = 0; n < 20; n += 1) crowd(lanes, `noisy${n}-`, 1_000);
    expect(fill(lanes)).toHaveLength(20_000);
    expect(crowd(lanes, 'quiet', 16)).toEqual(fill(lanes));
  });

  test('follow a limit that changes, and never stand still at a limit of none', () => {
    let limit = 2;
    const lanes = new Lanes(() => limit);
    crowd(lanes, 'a', 5);
    expect(lanes.next()?.key).toBe('a0');
    limit = 0;
    expect(lanes.next()).toBeUndefined();
    lanes.done('a');
    expect(fill(lanes)).toEqual(['a1']);
    limit = 3;
    lanes.join('more', 'a', 'change');
    expect(fill(lanes)).toEqual(['a2', 'a3']);
  });

  test('forget those without members', () => {
    const lanes = new Lanes(() => 1);
    lanes.join('x', 'a', 'poll');
    lanes.join('y', 'b', 'poll');
    expect(lanes.size).toBe(2);
    lanes.leave('x', 'a', 'poll');
    expect(lanes.size).toBe(1);
    expect(serve(lanes)).toEqual(['y']);
    expect(lanes.size).toBe(0);
    expect(() => lanes.done('b')).toThrow('nobody waits or is in flight in lane b');
  });
});

const limits = [1, 2, 5];
const step = fc.oneof(
  fc.record({ do: fc.constant('join' as const), lane: fc.nat(2), priority: fc.constantFrom('change', 'poll') }),
  fc.record({ do: fc.constantFrom('next' as const, 'done' as const, 'leave' as const), pick: fc.nat() }),
);

/** The lanes next to a plain account of who waits and who is in flight. */
class World {
  readonly #lanes = new Lanes((lane) => limits[Number(lane)] ?? 1);
  readonly #waiting = new Map<string, { readonly lane: string; readonly priority: 'change' | 'poll' }>();
  readonly #inFlight: Start[] = [];
  /** How many starts of others each lane has watched while it had somebody waiting and room. */
  readonly #watched = new Map<string, number>();
  #keys = 0;

  join(lane: string, priority: 'change' | 'poll'): void {
    this.#keys += 1;
    this.#waiting.set(String(this.#keys), { lane, priority });
    this.#lanes.join(String(this.#keys), lane, priority);
  }

  next(): boolean {
    const eligible = this.#eligible();
    const start = this.#lanes.next();
    if (start === undefined) {
      expect([...eligible]).toEqual([]);
      return false;
    }
    expect(this.#waiting.get(start.key)?.lane).toBe(start.lane);
    expect(eligible).toContain(start.lane);
    for (const lane of eligible) this.#watched.set(lane, (this.#watched.get(lane) ?? 0) + 1);
    this.#watched.set(start.lane, 0);
    expect(Math.max(...this.#watched.values())).toBeLessThan(limits.length);
    this.#waiting.delete(start.key);
    this.#inFlight.push(start);
    this.#forgetIneligible();
    return true;
  }

  done(pick: number): void {
    const [start] = this.#inFlight.splice(pick % Math.max(1, this.#inFlight.length), 1);
    if (start !== undefined) this.#lanes.done(start.lane);
  }

  leave(pick: number): void {
    const [key, wish] = [...this.#waiting][pick % Math.max(1, this.#waiting.size)] ?? [];
    if (key === undefined || wish === undefined) return;
    this.#waiting.delete(key);
    this.#lanes.leave(key, wish.lane, wish.priority);
    this.#forgetIneligible();
  }

  empty(): void {
    while (this.#waiting.size + this.#inFlight.length > 0) if (!this.next()) this.done(0);
    expect([this.#lanes.waiting, this.#lanes.size]).toEqual([0, 0]);
  }

  #forgetIneligible(): void {
    const eligible = this.#eligible();
    for (const lane of this.#watched.keys()) if (!eligible.has(lane)) this.#watched.delete(lane);
  }

  #eligible(): ReadonlySet<string> {
    const own = (lane: string) => this.#inFlight.filter((one) => one.lane === lane).length;
    const waiting = [...this.#waiting.values()].map(({ lane }) => lane);
    return new Set(waiting.filter((lane) => own(lane) < (limits[Number(lane)] ?? 1)));
  }
}

test('whatever happens, nobody is lost or served twice, limits hold, and a lane with room is served within a round', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
      const world = new World();
      for (const action of steps) {
        if (action.do === 'join') world.join(String(action.lane), action.priority);
        else if (action.do === 'next') world.next();
        else if (action.do === 'done') world.done(action.pick);
        else world.leave(action.pick);
      }
      world.empty();
    }),
  );
});
