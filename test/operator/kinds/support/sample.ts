// What the battery must be told of a kind: a spec that the service takes, and how to vary it. Nothing in it is looked up in src.

import { onTestFinished } from 'vitest';
import type { Kind } from '../../../../src/operator/reconcile/kind/kind.ts';
import type { Kind as Collection } from '../../../../src/service/model/records/records.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import type { Dialect } from '../../../../src/wire/dialect.ts';
import type { Bench } from './bench.ts';
import type { Row, Subject } from './subject.ts';
import { World, type WorldOptions } from './world.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Sample {
  readonly kind: Kind;
  /** Resources that are made before, in order; `names` are those that they got, by the names here. */
  readonly needs: readonly { readonly kind: string; readonly as: string; readonly spec: (names: Json) => Json }[];
  /** `names` has a `number`, too, that no other resource has: for what must be there once. */
  readonly spec: (names: Json) => Json;
  /** A config map of the spec: other values of it, in the form of a merge patch, the one it had, and its path in messages. */
  readonly config?: {
    readonly path: string;
    readonly edited: Json;
    readonly again: Json;
    readonly back: Json;
    readonly unparsable: Json;
  };
  /** The same for content that has no config map: edits of it, each with a number that its object then shows, and the way back. */
  readonly content?: { readonly edited: Json; readonly again: Json; readonly back: Json };
  /** Its object refers to one of its own, which is created before it. */
  readonly isStored?: true;
  /** Where it refers to another resource: which of `needs`. */
  readonly refersTo?: string;
  /** The collection of the service that its create reads. */
  readonly readsReferent?: string;
  /** An edit that the service can carry out: its request, and what its object then shows. */
  readonly change?: {
    readonly edit: Json;
    /** After that, another one of the same request. */
    readonly again: Json;
    readonly request: { readonly method: string; readonly action?: string };
    readonly shows: (subject: Subject) => unknown;
    readonly leadsTo: unknown;
  };
  /** What the cloud of the service must have for it. */
  readonly server?: (number: number) => Partial<ServerOptions>;
  /** Something that a stranger makes in the service which uses the object; its kind, collection and body. */
  readonly user?: { readonly kind: string; readonly collection: string; readonly body: (id: string) => Json };
}

/** One test: a world in which everything that the sample needs is there and Ready. */
export interface Trial {
  readonly world: World;
  readonly sample: Sample;
  readonly names: Names;
  /** The resource under test, as applied; `more`: other fields of its spec. */
  readonly create: (more?: Json) => Promise<Subject>;
  /** The same, Ready. */
  readonly createReady: () => Promise<Subject>;
  /** One of `needs`, applied once more under another name; `names` then tells this one. */
  readonly need: (as: string, name?: string) => Promise<Subject>;
}

type Names = Record<string, string>;

/** What a sample needs, made once for a file and dialect: the resources are there, and every new service has their objects. */
interface Ground {
  readonly names: Names;
  readonly objects: readonly { readonly route: Collection; readonly row: Row }[];
}

const grounds = new WeakMap<Bench, Map<Dialect, Promise<Ground>>>();

function groundOf(bench: Bench, sample: Sample, dialect: Dialect): Promise<Ground> {
  const known = grounds.get(bench) ?? new Map<Dialect, Promise<Ground>>();
  grounds.set(bench, known);
  const ground = known.get(dialect) ?? layGround(bench, sample, dialect);
  known.set(dialect, ground);
  return ground;
}

async function layGround(bench: Bench, sample: Sample, dialect: Dialect): Promise<Ground> {
  const world = await World.open(bench, { dialect });
  const names: Names = {};
  const number = bench.next();
  for (const { kind, as, spec } of sample.needs) {
    names[as] = `${as}-${number}`;
    await (await world.apply(kind, names[as], spec(names))).ready();
  }
  await world.close();
  return { names, objects: world.subjects.map(({ route, row }) => ({ route, row })) };
}

export async function prepare(bench: Bench, sample: Sample, options: WorldOptions = {}): Promise<Trial> {
  const ground = await groundOf(bench, sample, options.dialect ?? 'neutral');
  const number = bench.next();
  const server = { ...sample.server?.(number), ...options.server };
  const world = await World.open(bench, { ...options, server });
  onTestFinished(() => world.close());
  for (const { route, row } of ground.objects) world.backend.put(route, row);
  const names: Names = { ...ground.names, number: String(number) };
  const create = async (more: Json = {}) => {
    const spec = { ...sample.spec(names), ...more };
    const subject = await world.apply(sample.kind.definition.kind, `one-${number}`, spec);
    // The create of the object itself is the next step.
    if (sample.isStored) await subject.pass();
    return subject;
  };
  return {
    world,
    sample,
    names,
    create,
    async createReady() {
      const subject = await create();
      await subject.ready();
      return subject;
    },
    async need(as, name = `${as}-${bench.next()}`) {
      const found = sample.needs.find((one) => one.as === as);
      if (!found) throw new Error(`the sample does not need ${as}`);
      names[as] = name;
      return world.apply(found.kind, name, found.spec(names));
    },
  };
}
