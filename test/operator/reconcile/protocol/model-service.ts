// A tiny service in memory, with answers that get lost and creates that take effect late. Time is a number that the test moves.
import type { RemoteObject } from '../../../../src/operator/reconcile/kind.ts';
import type { ServiceError } from '../../../../src/wire/errors/errors.ts';
import { groups } from '../support.ts';
import { fault, inUse, nameTaken, notFound, quota, reset, unsent } from './failures.ts';

/** Hands out the choices of a run; when there are none left, nothing goes wrong any more. */
export class Choices {
  readonly #left: number[];

  constructor(choices: readonly number[]) {
    this.#left = [...choices].reverse();
  }

  get exhausted(): boolean {
    return this.#left.length === 0;
  }

  /** 0 to 99; 0 when the choices have run out. */
  next(): number {
    return this.#left.pop() ?? 0;
  }

  /** True in about `percent` of the cases while there are choices. */
  happens(percent: number): boolean {
    return this.next() > 99 - percent;
  }

  end(): void {
    this.#left.length = 0;
  }
}

type Row = RemoteObject & {
  readonly status: string;
  readonly cluster_template_id?: string;
  readonly node_groups: readonly { name: string; count: number; instances?: readonly [] }[];
};
type Reply<Value> = { readonly value: Value } | { readonly error: ServiceError };

interface Body {
  readonly name: string;
  readonly cluster_template_id?: string;
  readonly node_groups?: readonly { readonly name: string; readonly count: number }[];
}
interface Change {
  readonly resize_node_groups?: readonly { readonly name: string; readonly count: number }[];
}

export interface ModelServiceOptions {
  /** Names are. */
  readonly unique: boolean;
  /** Of ids; none are the same in two collections. */
  readonly prefix?: string;
  /** What rows of another collection are made from. */
  readonly templates?: ModelService;
}

/** Of an object that somebody else makes. */
export const strangerId = 'stranger';

/** One collection. */
export class ModelService {
  readonly #choices: Choices;
  readonly #unique: boolean;
  readonly #prefix: string;
  readonly #templates: ModelService | undefined;
  #isUsed: (id: string) => boolean = () => false;
  readonly #late: { readonly at: number; readonly body: Body }[] = [];
  #rows = new Map<string, Row>();
  #made = 0;

  constructor(choices: Choices, { unique, prefix = 'id', templates }: ModelServiceOptions) {
    this.#choices = choices;
    this.#unique = unique;
    this.#prefix = prefix;
    this.#templates = templates;
    if (templates) templates.#isUsed = (id) => this.rows.some((row) => row.cluster_template_id === id);
  }

  strangerComes(name: string): void {
    if (!this.#taken(name)) this.#rows.set(strangerId, { id: strangerId, name, status: 'Active', node_groups: [] });
  }

  strangerGoes(): void {
    this.#rows.delete(strangerId);
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  get latePending(): number {
    return this.#late.length;
  }

  /** What is late takes effect, if its time has come. */
  advance(now: number): void {
    for (const one of this.#late.filter(({ at }) => at <= now)) {
      this.#late.splice(this.#late.indexOf(one), 1);
      this.#commit(one.body);
    }
  }

  list(): Reply<readonly Row[]> {
    return this.#choices.happens(8) ? { error: reset('GET') } : { value: this.rows };
  }

  get(id: string): Reply<Row | undefined> {
    return this.#choices.happens(8) ? { error: fault('GET') } : { value: this.#rows.get(id) };
  }

  /** `latest`: a create that is lost takes effect before then. */
  create(body: Body, now: number, latest: number): Reply<Row> {
    const choice = this.#choices.next();
    if (choice >= 94) return { error: unsent('POST') };
    if (this.#taken(body.name)) return { error: choice >= 80 ? reset('POST') : nameTaken() };
    // A refused create of a cluster can leave a row that holds its name.
    if (choice >= 91 && this.#unique) this.#leave(body);
    if (choice >= 88) return { error: quota('POST') };
    if (choice >= 70) {
      this.#late.push({ at: now + ((latest - now) * this.#choices.next()) / 100, body });
      return { error: choice >= 80 ? fault('POST') : reset('POST') };
    }
    if (choice >= 62) return { error: reset('POST') };
    const row = this.#commit(body);
    return choice >= 45 ? { error: reset('POST') } : { value: row };
  }

  change(id: string, change: Change): Reply<Row> {
    const row = this.#rows.get(id);
    const choice = this.#choices.next();
    if (!row) return { error: notFound('PUT') };
    if (choice >= 94) return { error: unsent('PUT') };
    if (choice >= 85) return { error: quota('PUT') };
    if (choice >= 75) return { error: reset('PUT') };
    const wanted = new Map((change.resize_node_groups ?? []).map((group) => [group.name, group.count]));
    const changed = {
      ...row,
      node_groups: row.node_groups.map((one) => ({ ...one, count: wanted.get(one.name) ?? one.count })),
    };
    this.#rows.set(id, changed);
    return choice >= 60 ? { error: reset('PUT') } : { value: changed };
  }

  remove(id: string): Reply<undefined> {
    const choice = this.#choices.next();
    if (!this.#rows.has(id)) return { error: notFound('DELETE') };
    if (choice >= 92) return { error: unsent('DELETE') };
    if (choice >= 84 || this.#isUsed(id)) return { error: inUse() };
    if (choice >= 76) return { error: reset('DELETE') };
    this.#rows = new Map([...this.#rows].filter(([known]) => known !== id));
    return choice >= 60 ? { error: reset('DELETE') } : { value: undefined };
  }

  #taken(name: string): boolean {
    return this.#unique && this.rows.some((row) => row.name === name);
  }

  #leave(body: Body): void {
    const { id } = this.#commit(body);
    const node_groups = [{ name: 'master', count: 1, instances: [] as const }];
    this.#rows.set(id, { id, name: body.name, status: 'Error', node_groups, ...startedFrom(body) });
  }

  #commit(body: Body): Row {
    const known = this.#unique ? this.rows.find((row) => row.name === body.name) : undefined;
    if (known) return known;
    this.#made += 1;
    const template = this.#templates?.rows.find(({ id }) => id === body.cluster_template_id);
    const all = template?.node_groups ?? body.node_groups ?? [];
    const counts = Object.fromEntries(all.map((group) => [group.name, group.count]));
    const id = `${this.#prefix}-${this.#made}`;
    const row = { id, name: body.name, status: 'Active', node_groups: groups(counts), ...startedFrom(body) };
    this.#rows.set(row.id, row);
    return row;
  }
}

const startedFrom = ({ cluster_template_id }: Body) => (cluster_template_id ? { cluster_template_id } : {});
