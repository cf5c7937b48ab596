// Any order of changes, writes, requests and answers: what an observation shows was true at or after the time that was asked for.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Inventory } from '../../../../src/operator/client/list/inventory.ts';
import type { View } from '../../../../src/operator/client/list/list-view.ts';
import type { NodeGroupTemplate } from '../../../../src/wire/node-group-template.ts';
import { type AnyRow, routes } from '../../../../src/wire/routes.ts';
import { ManualClock, settle } from '../../../support/clock.ts';
import { FakeReads, type Pending } from './fake-reads.ts';

const route = routes.nodeGroupTemplates;
const ids = ['a', 'b', 'c'] as const;
type State = ReadonlyMap<string, AnyRow>;

const id = fc.constantFrom(...ids);
const step = fc.oneof(
  fc.record({ act: fc.constant('change' as const), id, gone: fc.boolean() }),
  fc.record({ act: fc.constant('write' as const), id }),
  fc.record({ act: fc.constant('answer a write' as const) }),
  fc.record({ act: fc.constant('lose a write' as const) }),
  { weight: 3, arbitrary: fc.record({ act: fc.constant('ask' as const), id }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('send' as const), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('read' as const), which: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('answer' as const), which: fc.nat(5) }) },
  fc.record({ act: fc.constant('wait' as const), ms: fc.nat(600) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A service with its history, and the requests under way to it. */
class World {
  readonly clock = new ManualClock(0);
  readonly reads = new FakeReads();
  readonly inventory = new Inventory(this.reads, this.clock);
  readonly history: State[] = [new Map()];
  /** What each request read, once the service has looked at it. */
  readonly seen = new Map<Pending<never>, State>();
  readonly done = new Set<Pending<never>>();
  readonly writing: AnyRow[] = [];
  readonly violations: string[] = [];
  version = 0;
  asked = 0;
  answered = 0;

  get now(): State {
    return this.history.at(-1) ?? new Map();
  }

  write(of: string): AnyRow {
    const row = { id: of, name: `n${of}`, description: `v${++this.version}` };
    this.history.push(new Map([...this.now, [of, row]]));
    return row;
  }

  remove(of: string): void {
    this.history.push(new Map([...this.now].filter(([other]) => other !== of)));
  }

  ask(of: string): void {
    const from = this.history.length - 1;
    const notBefore = this.clock.monotonic();
    this.asked++;
    void this.inventory.observe(route, { notBefore }).then((view) => {
      this.answered++;
      if (view.listSentAt < notBefore || !this.#isTrue(view, of, from)) this.violations.push(`${of} as of ${from}`);
    });
  }

  #isTrue(view: View<NodeGroupTemplate>, of: string, from: number): boolean {
    // While an own write of this row is under way its answer may be older than a LIST; its key observes nothing meanwhile.
    if (this.writing.some((row) => row.id === of)) return true;
    const shown = view.byId(of)?.description;
    return this.history.slice(from).some((state) => Reflect.get(state.get(of) ?? {}, 'description') === shown);
  }

  /** Requests under way. */
  under(): Pending<never>[] {
    return this.reads.lists.filter((pending) => !this.done.has(pending)) as Pending<never>[];
  }

  read(pending: Pending<never>): void {
    pending.send();
    if (!this.seen.has(pending)) this.seen.set(pending, this.now);
  }

  async answer(pending: Pending<never>): Promise<void> {
    this.read(pending);
    this.done.add(pending);
    const state = this.seen.get(pending) ?? this.now;
    await (pending as Pending<unknown>).answer([...state.values()]);
  }
}

async function act(world: World, one: Step): Promise<void> {
  const under = world.under();
  const chosen = 'which' in one ? under[one.which % Math.max(under.length, 1)] : undefined;
  if (one.act === 'change' && !world.writing.some((row) => row.id === one.id)) {
    if (one.gone) world.remove(one.id);
    else world.write(one.id);
    // What strangers do has no place among our sends within one millisecond; own writes have.
    await world.clock.advance(1);
  }
  if (one.act === 'write' && !world.writing.some((row) => row.id === one.id)) world.writing.push(world.write(one.id));
  if (one.act === 'answer a write') {
    const row = world.writing.shift();
    if (row !== undefined) world.inventory.noteWritten(route, row);
  }
  if (one.act === 'lose a write' && world.writing.shift() !== undefined) world.inventory.ended();
  if (one.act === 'ask' && !world.writing.some((row) => row.id === one.id)) world.ask(one.id);
  if (one.act === 'send') chosen?.send();
  if (one.act === 'read' && chosen !== undefined) world.read(chosen);
  if (one.act === 'answer' && chosen !== undefined) await world.answer(chosen);
  if (one.act === 'wait') await world.clock.advance(one.ms);
  await settle();
}

test('holds for any sequence, and everybody is answered in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const world = new World();
      for (const one of steps) await act(world, one);
      world.writing.length = 0;
      while (world.answered < world.asked) {
        for (const pending of world.under()) await world.answer(pending);
        // A LIST may rest after the one before.
        await world.clock.advance(1_000);
        await settle();
      }
      expect(world.violations).toEqual([]);
      expect(world.answered).toBe(world.asked);
    }),
    { numRuns: 300 },
  );
});
