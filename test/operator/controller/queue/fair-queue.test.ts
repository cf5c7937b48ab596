// The lanes: limits, turns, urgency and the bounds on how long anybody is passed over.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FairQueue,
  LATE_MS,
  moreUrgent,
  PATIENCE,
  type Priority,
  type Ticket,
} from '../../../../src/operator/controller/queue/fair-queue.ts';
import { FEW, MANY } from '../../../../src/operator/controller/queue/round-robin.ts';

const priorities: readonly Priority[] = ['deletion', 'change', 'external', 'poll'];

function lanesOf<T>(limitOf: (lane: string) => number, now = () => 0): FairQueue<T> {
  return new FairQueue<T>({ limitOf, now, concurrency: Number.POSITIVE_INFINITY });
}

/** Who is served until there is no room; nobody ends. */
function fill<T>(lanes: FairQueue<T>): T[] {
  const served: T[] = [];
  for (let ticket = lanes.next(); ticket !== undefined; ticket = lanes.next()) served.push(ticket.value);
  return served;
}

function serve<T>(lanes: FairQueue<T>, most: number): T[] {
  const served: T[] = [];
  while (served.length < most) {
    const ticket = lanes.next();
    if (ticket === undefined) break;
    served.push(ticket.value);
    lanes.done(ticket);
  }
  return served;
}

function serveAll<T>(lanes: FairQueue<T>): T[] {
  return serve(lanes, Number.POSITIVE_INFINITY);
}

function count(served: readonly Priority[], wanted: Priority): number {
  return served.filter((priority) => priority === wanted).length;
}

describe('priorities', () => {
  test('deletions come before changes, these before what the service tells of, and that before polls, each in the order of joining', () => {
    const lanes = lanesOf<string>(() => 1);
    for (const round of [1, 2])
      for (const priority of priorities.toReversed()) lanes.join(`${priority}${round}`, 'a', priority);
    expect(serveAll(lanes)).toEqual(priorities.flatMap((priority) => [`${priority}1`, `${priority}2`]));
  });

  test('what the service told of comes before changes once it has waited for long, and they are not left out either', () => {
    let now = 0;
    const lanes = lanesOf<Priority>(
      () => 1,
      () => now,
    );
    for (const priority of priorities) for (let n = 0; n < 30; n += 1) lanes.join(priority, 'a', priority);
    now = LATE_MS - 1;
    expect(count(serve(lanes, 50), 'external')).toBeLessThan(10);
    now = LATE_MS;
    const late = serve(lanes, 20);
    expect(count(late, 'external')).toBeGreaterThan(12);
    expect(late).toContain('change');
    expect(late).toContain('poll');
    lanes.join('deletion', 'a', 'deletion');
    expect(serve(lanes, 3)).toContain('deletion');
  });

  test.each([
    ['deletion', 'poll', 'deletion'],
    ['poll', 'change', 'change'],
    ['change', 'change', 'change'],
  ] as const)('of %s and %s the more urgent is %s', (a, b, expected) => {
    expect(moreUrgent(a, b)).toBe(expected);
    expect(moreUrgent(b, a)).toBe(expected);
  });

  test('no line is passed over for long, however many more urgent ones keep coming', () => {
    const lanes = lanesOf<Priority>(() => 1);
    for (const priority of priorities) for (let n = 0; n < 200; n += 1) lanes.join(priority, 'a', priority);
    const served = serve(lanes, 200);
    // Of several that are due at once, one may have to let the others go first.
    const bound = PATIENCE + priorities.length - 2;
    for (const priority of priorities) expect(longestGap(served, priority)).toBeLessThanOrEqual(bound);
    const others = (priorities.length - 1) / (PATIENCE + 1);
    expect(count(served, 'deletion')).toBeGreaterThanOrEqual(Math.floor(200 * (1 - others)));
  });
});

describe('lanes', () => {
  test('are served in turn, so that a long one does not hold up a short one', () => {
    const lanes = lanesOf<string>(() => 100);
    for (let n = 0; n < 50; n += 1) lanes.join(`noisy${n}`, 'noisy', 'deletion');
    lanes.join('quiet', 'quiet', 'poll');
    expect(lanes.next()?.value).toBe('noisy0');
    expect(lanes.next()?.value).toBe('quiet');
    expect(lanes.next()?.value).toBe('noisy1');
  });

  test('hold their limit, and a full one is back in turn when one of its own has ended', () => {
    const lanes = lanesOf<string>((lane) => (lane === 'narrow' ? 1 : 2));
    for (const value of ['n1', 'n2']) lanes.join(value, 'narrow', 'change');
    for (const value of ['w1', 'w2', 'w3']) lanes.join(value, 'wide', 'change');
    const first = lanes.next();
    expect([first?.value, lanes.next()?.value, lanes.next()?.value, lanes.next()]).toEqual([
      'n1',
      'w1',
      'w2',
      undefined,
    ]);
    if (first !== undefined) lanes.done(first);
    expect([lanes.next()?.value, lanes.next()]).toEqual(['n2', undefined]);
    expect(lanes.waiting).toBe(1);
  });

  test('follow a limit that changes, and never stand still at a limit of none', () => {
    let limit = 2;
    const lanes = lanesOf<string>(() => limit);
    for (const value of ['a', 'b', 'c', 'd']) lanes.join(value, 'lane', 'change');
    const first = lanes.next();
    limit = 0;
    expect(lanes.next()).toBeUndefined();
    if (first !== undefined) lanes.done(first);
    expect(lanes.next()?.value).toBe('b');
    limit = 3;
    lanes.join('e', 'lane', 'change');
    expect([lanes.next()?.value, lanes.next()?.value, lanes.next()]).toEqual(['c', 'd', undefined]);
  });

  test.each([
    [2, 16],
    [3, FEW],
    [6, FEW],
    [7, 1],
    [200, 1],
  ])('find room beside %i others in which all hang: for %i at once', (others, expected) => {
    const lanes = new FairQueue<string>({ limitOf: () => 16, now: () => 0, concurrency: 64 });
    const crowd = (lane: string) => Array.from({ length: 20 }, () => lanes.join(lane, lane, 'change'));
    for (let n = 0; n < others; n += 1) {
      crowd(`noisy${n}`);
      fill(lanes);
    }
    crowd('quiet');
    expect(fill(lanes)).toEqual(Array.from({ length: expected }, () => 'quiet'));
  });

  test('find room beside one that may have as many as there is room for, and in which all hang', () => {
    const lanes = new FairQueue<string>({
      limitOf: (lane) => (lane === 'wide' ? 1_000 : 16),
      now: () => 0,
      concurrency: 64,
    });
    const crowd = (lane: string) => Array.from({ length: 100 }, () => lanes.join(lane, lane, 'change'));
    crowd('wide');
    expect(fill(lanes)).toHaveLength(32);
    crowd('quiet');
    expect(fill(lanes)).toEqual(Array.from({ length: 16 }, () => 'quiet'));
  });

  test('forget those without members', () => {
    const lanes = lanesOf<string>(() => 1);
    const left = lanes.join('x', 'a', 'poll');
    lanes.join('y', 'b', 'poll');
    expect(lanes.lanes).toBe(2);
    lanes.leave(left);
    expect(lanes.lanes).toBe(1);
    expect(serveAll(lanes)).toEqual(['y']);
    expect(lanes.lanes).toBe(0);
  });

  test('refuse a ticket that does not wait any more', () => {
    const lanes = lanesOf<string>(() => 1);
    const ticket = lanes.join('x', 'a', 'poll');
    lanes.next();
    expect(() => lanes.leave(ticket)).toThrow('cannot leave the lanes: the ticket does not wait');
  });
});

const concurrency = fc.constantFrom(1, 4, 9, 3 * MANY, Number.POSITIVE_INFINITY);
const step = fc.oneof(
  fc.record({ do: fc.constant('join' as const), lane: fc.nat(3), priority: fc.constantFrom(...priorities) }),
  fc.record({ do: fc.constantFrom('next' as const, 'done' as const, 'leave' as const), pick: fc.nat() }),
);

describe('whatever happens', () => {
  test('nobody is lost or served twice, limits hold, and a lane with room is served within a round', () => {
    fc.assert(
      fc.property(concurrency, fc.array(step, { maxLength: 120, size: 'max' }), (most, steps) => {
        const world = new World(most);
        for (const action of steps) {
          if (action.do === 'join') world.join(action.lane, action.priority);
          else if (action.do === 'next') world.next();
          else if (action.do === 'done') world.done(action.pick);
          else world.leave(action.pick);
        }
        world.empty();
      }),
    );
  });
});

const limits = [1, 3, 2 * FEW, 2 * MANY] as const;

/** The lanes next to a plain account of who waits and who is served. */
class World {
  readonly #concurrency: number;
  readonly #lanes: FairQueue<number>;
  readonly #waiting = new Map<Ticket<number>, number>();
  readonly #inFlight = new Map<Ticket<number>, number>();
  /** How many starts of others each lane has watched while it had somebody waiting and room. */
  readonly #watched = [0, 0, 0, 0];
  #values = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
    this.#lanes = new FairQueue({ limitOf: (lane) => limits[Number(lane)] ?? 1, now: () => 0, concurrency });
  }

  join(lane: number, priority: Priority): void {
    this.#waiting.set(this.#lanes.join(this.#values++, String(lane), priority), lane);
  }

  next(): boolean {
    const eligible = this.#eligible();
    const ticket = this.#lanes.next();
    if (ticket === undefined) {
      expect(eligible).toEqual([]);
      return false;
    }
    const lane = this.#waiting.get(ticket);
    if (lane === undefined) throw new Error('served somebody who does not wait');
    expect(eligible).toContain(lane);
    for (const other of [0, 1, 2, 3])
      this.#watched[other] = eligible.includes(other) ? (this.#watched[other] ?? 0) + 1 : 0;
    this.#watched[lane] = 0;
    // Three others, and each of them up to four times.
    expect(Math.max(...this.#watched)).toBeLessThanOrEqual(12);
    this.#waiting.delete(ticket);
    this.#inFlight.set(ticket, lane);
    return true;
  }

  done(pick: number): void {
    const ticket = [...this.#inFlight.keys()][pick % Math.max(1, this.#inFlight.size)];
    if (ticket === undefined) return;
    this.#inFlight.delete(ticket);
    this.#lanes.done(ticket);
  }

  leave(pick: number): void {
    const ticket = [...this.#waiting.keys()][pick % Math.max(1, this.#waiting.size)];
    if (ticket === undefined) return;
    this.#waiting.delete(ticket);
    this.#lanes.leave(ticket);
    this.#forgetIneligible();
  }

  /** A lane that nobody waits in gives up its turn. */
  #forgetIneligible(): void {
    const eligible = this.#eligible();
    for (const lane of [0, 1, 2, 3]) if (!eligible.includes(lane)) this.#watched[lane] = 0;
  }

  empty(): void {
    while (this.#waiting.size + this.#inFlight.size > 0) if (!this.next()) this.done(0);
    expect([this.#lanes.waiting, this.#lanes.lanes]).toEqual([0, 0]);
  }

  #eligible(): number[] {
    const waiting = [...this.#waiting.values()];
    const inFlight = [...this.#inFlight.values()];
    return limits.flatMap((limit, lane) => {
      const own = inFlight.filter((one) => one === lane).length;
      const share = own < FEW ? 1 : own < MANY ? 0.75 : 0.5;
      const most = share * this.#concurrency;
      return waiting.includes(lane) && own < limit && (own === 0 || inFlight.length < most) ? [lane] : [];
    });
  }
}

function longestGap(served: readonly Priority[], priority: Priority): number {
  const gaps = served.join(' ').split(priority);
  return Math.max(...gaps.map((gap) => gap.split(' ').filter((word) => word !== '').length));
}
