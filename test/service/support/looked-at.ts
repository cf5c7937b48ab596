// How many items of lists are looked at: a measure of work that does not depend on the computer.
import { onTestFinished } from 'vitest';

const looking = ['includes', 'indexOf', 'some', 'find'] as const;

/** From here to the end of the test, at most: the length of each list in which something is looked for. */
export function countLooks(): () => number {
  let count = 0;
  const before = looking.map((name) => [name, Array.prototype[name]] as const);
  const restore = () => {
    for (const [name, original] of before)
      Object.defineProperty(Array.prototype, name, { value: original, writable: true, configurable: true });
  };
  onTestFinished(restore);
  for (const [name, original] of before)
    Object.defineProperty(Array.prototype, name, {
      writable: true,
      configurable: true,
      value(this: readonly unknown[], ...args: readonly unknown[]) {
        count += this.length;
        return Reflect.apply(original as (...all: readonly unknown[]) => unknown, this, args);
      },
    });
  return () => count;
}
