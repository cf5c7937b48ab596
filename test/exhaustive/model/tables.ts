// Values by number: equal values have one number, so that a state of the world is a short text and what was read once stays read.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import type { RemoteObject } from '../../../src/operator/reconcile/kind/kind.ts';
import type { PlannedWrite } from '../../../src/operator/reconcile/outcome.ts';
import type { Referrer } from './referrer.ts';
import type { Setter } from './setter.ts';

/** An object of the service. Its id begins with the uid of the resource it was made for, or with `stranger`. */
export interface Row extends RemoteObject {
  readonly status: string;
  /** How far a run is. */
  readonly info?: { readonly status: string };
  /** Of a private template; an object of the kind itself has none. */
  readonly of?: 'templates';
  readonly cluster_template_id?: string;
  /** Of a template that was there before the resource. */
  readonly flavor_id?: string;
  readonly node_groups?: readonly Group[];
}

export interface Group {
  readonly name: string;
  readonly count: number;
  readonly node_group_template_id?: string;
  /** Empty: it never had machines. */
  readonly instances?: readonly never[];
}

export class Table<Value extends object | null> {
  readonly #values: Value[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #same = new WeakMap<object, number>();

  numberOf(value: Value): number {
    if (value === null) return this.#numberOf(value);
    const known = this.#same.get(value) ?? this.#numberOf(value);
    this.#same.set(value, known);
    return known;
  }

  #numberOf(value: Value): number {
    const text = JSON.stringify(value);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#values.length);
    return this.#values.push(value) - 1;
  }

  /** The same object for the same number. */
  at(number: number): Value {
    const value = this.#values[number];
    if (value === undefined) throw new Error(`no value has number ${number}`);
    return value;
  }
}

export interface Tables {
  /** Versions of the resource. Null: there is none. */
  readonly versions: Table<RawResource | null>;
  /** What the service holds. */
  readonly rows: Table<readonly Row[]>;
  readonly referrers: Table<Referrer>;
  readonly setters: Table<Setter>;
  /** Plans that a status has shown. */
  readonly plans: Table<PlannedWrite>;
}

export function createTables(): Tables {
  return { versions: new Table(), rows: new Table(), referrers: new Table(), setters: new Table(), plans: new Table() };
}
