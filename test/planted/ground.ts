// Where bugs are planted: functions of the product in whose place one bug at a time may stand.

export type AnyFunction = (...args: never[]) => unknown;

/** What takes the place of a function; `real` is the product's own. */
export type Replacement = (real: never) => AnyFunction;

/** By file and function: `protocol.next`. */
export type Plant = Readonly<Record<string, Replacement>>;

/** A bug in the place of one function, of which `by` gets the product's own. */
export const replacing = <F extends AnyFunction>(place: string, by: (real: F) => F): Plant => ({ [place]: by });

const real = new Map<string, AnyFunction>();
let standing: Readonly<Record<string, AnyFunction>> = {};

/** Bugs that are planted where there is no such function would be found by nobody. */
export function plant(bug: Plant): void {
  const places = Object.entries(bug).map(([place, replacement]) => {
    const own = real.get(place);
    if (!own) throw new Error(`cannot plant a bug in ${place}: no test that was read uses it`);
    return [place, replacement(own as never)] as const;
  });
  standing = Object.fromEntries(places);
}

/** The module, but that each of its functions asks whether a bug stands in its place. */
export function ground(name: string) {
  return async (load: () => Promise<unknown>): Promise<object> => {
    const module = (await load()) as Readonly<Record<string, unknown>>;
    return Object.fromEntries(Object.entries(module).map(([field, value]) => [field, ask(`${name}.${field}`, value)]));
  };
}

function ask(place: string, value: unknown): unknown {
  if (typeof value !== 'function' || value.toString().startsWith('class')) return value;
  const own = value as AnyFunction;
  real.set(place, own);
  return (...args: never[]) => (standing[place] ?? own)(...args);
}
