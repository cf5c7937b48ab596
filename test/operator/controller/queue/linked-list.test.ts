// The line against a plain array.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LinkedList, type ListEntry } from '../../../../src/operator/controller/queue/linked-list.ts';

type Step =
  | { readonly do: 'join'; readonly value: number }
  | { readonly do: 'take' }
  | { readonly do: 'leave'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('join' as const), value: fc.integer() }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('leave' as const), at: fc.nat() }),
);

describe('a line', () => {
  test('serves in the order of joining, whoever leaves in between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const line = new LinkedList<number>();
        const model: ListEntry<number>[] = [];
        for (const action of steps) {
          if (action.do === 'join') model.push(line.join(action.value));
          else if (action.do === 'take') expect(line.take()).toBe(model.shift()?.value);
          else leave(line, model, action.at);
          expect(line.length).toBe(model.length);
        }
        for (const place of model) expect(line.take()).toBe(place.value);
        expect(line.take()).toBeUndefined();
      }),
    );
  });

  test('lets the first, the middle and the last leave', () => {
    const line = new LinkedList<string>();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((value) => line.join(value));
    for (const place of [b, a, d]) if (place !== undefined) line.leave(place);
    expect(line.length).toBe(1);
    expect(line.take()).toBe('c');
    expect(c?.value).toBe('c');
    line.join('e');
    expect(line.take()).toBe('e');
  });
});

function leave(line: LinkedList<number>, model: ListEntry<number>[], at: number): void {
  const [place] = model.length === 0 ? [] : model.splice(at % model.length, 1);
  if (place !== undefined) line.leave(place);
}
