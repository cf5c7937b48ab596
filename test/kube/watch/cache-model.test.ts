// The cache against every order in which writes, their answers and the watch can meet.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cache, type Delta } from '../../../src/kube/watch/watch-cache.ts';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { widget } from '../../operator/kube/support/objects.ts';

const place = 'team-a/one';

const writerOf = ({ status }: RawResource): string => String(status);

/** One object on a server with a clock of versions, a watch that lags behind, and one writer with compare-and-set. */
class World {
  readonly cache = new Cache(writerOf);
  readonly reported: Delta[] = [];
  readonly own: Delta[] = [];
  readonly foreignVersions = new Set<string>();
  #version = 1;
  #uid = 1;
  #server: RawResource | undefined;
  readonly #watch: (() => void)[] = [];
  #write: { readonly base: RawResource; readonly answer: RawResource | undefined } | undefined;

  #next(by: string): RawResource {
    this.#version += 1;
    return widget({ uid: `u${this.#uid}`, version: this.#version, status: by });
  }

  #tell(arrive: (cache: Cache) => readonly Delta[]): void {
    this.#watch.push(() => this.reported.push(...arrive(this.cache)));
  }

  foreignWrite(): void {
    const made = this.#next('others');
    this.#server = made;
    this.foreignVersions.add(made.metadata.resourceVersion);
    this.#tell((cache) => cache.put(made));
  }

  foreignDelete(): void {
    if (this.#server === undefined) return;
    const last = this.#next('others');
    this.#server = undefined;
    this.#uid += 1;
    this.#tell((cache) => cache.remove(last));
  }

  /** From the cache, or from the server itself. The server refuses what was not made from its latest version. */
  beginWrite(fresh: boolean): void {
    const base = fresh ? this.#server : this.cache.get(place);
    if (this.#write !== undefined || base === undefined) return;
    this.cache.beginWrite(place);
    const accepted = this.#server?.metadata.resourceVersion === base.metadata.resourceVersion;
    const answer = accepted ? this.#next('us') : undefined;
    this.#write = { base, answer };
    if (answer === undefined) return;
    this.#server = answer;
    this.#tell((cache) => cache.put(answer));
  }

  /** The answer may be lost. */
  endWrite(lost: boolean): void {
    if (this.#write === undefined) return;
    const { base, answer } = this.#write;
    this.#write = undefined;
    const known = lost ? undefined : answer;
    const result = this.cache.endWrite(place, known === undefined ? undefined : { base, answer: known });
    this.reported.push(...result.changes);
    if (result.own !== undefined) this.own.push(result.own);
  }

  deliver(): void {
    this.#watch.shift()?.();
  }

  settle(): RawResource | undefined {
    this.endWrite(false);
    while (this.#watch.length > 0) this.deliver();
    return this.#server;
  }
}

type Step = (world: World) => void;

const step = fc.oneof(
  fc.constant<Step>((world) => world.foreignWrite()),
  fc.constant<Step>((world) => world.foreignDelete()),
  fc.boolean().map<Step>((fresh) => (world) => world.beginWrite(fresh)),
  fc.boolean().map<Step>((lost) => (world) => world.endWrite(lost)),
  fc.constant<Step>((world) => world.deliver()),
);

function run(steps: readonly Step[]): { readonly world: World; readonly truth: RawResource | undefined } {
  const world = new World();
  world.foreignWrite();
  for (const each of steps) each(world);
  return { world, truth: world.settle() };
}

const runs = { numRuns: 2000 };

describe('whatever the order', () => {
  it('the cache ends where the server is', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { world, truth } = run(steps);
        expect(world.cache.get(place)).toEqual(truth);
      }),
      runs,
    );
  });

  it('the index has each object under the text of its newest version', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { cache } = run(steps).world;
        for (const writer of ['us', 'others'])
          expect(cache.indexed(writer)).toEqual([...cache.values()].filter((one) => writerOf(one) === writer));
      }),
      runs,
    );
  });

  it('the last foreign state is either reported or lies under a reported one', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { world, truth } = run(steps);
        const last = world.reported.at(-1);
        const newest = [...world.foreignVersions].map(Number).toSorted((a, b) => b - a)[0] ?? 0;
        if (truth === undefined) expect(last?.current).toBeUndefined();
        else expect(Number(last?.current?.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
      }),
      runs,
    );
  });

  it('what is called our own is ours, and is reported to nobody else', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { world } = run(steps);
        for (const { previous, current } of world.own) {
          expect(current?.status).toBe('us');
          expect(previous?.metadata.uid).toBe(current?.metadata.uid);
          expect(world.reported.map((delta) => delta.current)).not.toContain(current);
        }
      }),
      runs,
    );
  });

  it('reports and own writes of one object never go back in time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const versions = run(steps).world.reported.flatMap(({ current }) =>
          current === undefined ? [] : [Number(current.metadata.resourceVersion)],
        );
        expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      }),
      runs,
    );
  });
});
