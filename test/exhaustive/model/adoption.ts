// An object that was in the service before the resource, and that its spec adopts.

import type { Kind, MappingContext } from '../../../src/operator/reconcile/kind/kind.ts';
import { adoptedTarget } from '../../../src/operator/reconcile/ledger/adoption.ts';
import { factsOf, newest, respecified } from './api-server.ts';
import type { Move } from './moves.ts';
import { ownerOf } from './service.ts';
import type { Row } from './tables.ts';
import { type Rules, spend, type World } from './world.ts';

/** Its id begins with it, as other ids with a uid. */
const maker = '0b7a4d00';
export const existingId = `${maker}-4e0f-4f5d-9c1a-0a1b2c3d4e5f`;
const existingName = 'kept';

/** How a spec names it. */
export const byId = { id: existingId };
export const byName = { name: existingName };

export const isExisting = (id: string): boolean => ownerOf(id) === maker;

export const adopts = (spec: unknown): boolean => adoptedTarget({ spec }) !== undefined;

/** The spec stated at first what is adopted, and may state it no longer. */
export const isAdopting = ({ tables }: Pick<Rules, 'tables'>): boolean => adopts(tables.versions.at(0)?.spec);

/** Allowed once an event has told that it is adopted, and while the policy needs no such statement. */
export function unstatingMoves(rules: Rules, world: World): readonly Move[] {
  const facts = factsOf(rules, newest(world));
  const { adopt, ...spec } = (facts?.resource.spec ?? {}) as { readonly adopt?: unknown };
  if (world.left.unstatings === 0 || !world.isAdoptionTold || adopt === undefined || facts?.policy === 'Observe')
    return [];
  return [{ label: 'the user removes spec.adopt', world: respecified(rules, spend(world, 'unstatings'), spec) }];
}

/** As the spec asks for, but of fewer workers: only counts can be changed. */
export function existingRow(kind: Kind, spec: unknown): Row {
  if (kind.identity !== 'named' && kind.identity !== 'content') throw new Error('cannot adopt: it has no content');
  const parsed = kind.definition.spec.parse(spec) as Record<string, unknown>;
  const body = kind.desired(parsed, given).body as Partial<Row>;
  const { node_groups: groups } = body;
  return {
    ...body,
    id: existingId,
    name: existingName,
    status: 'Active',
    ...(groups && { node_groups: groups.map((one) => ({ ...one, count: 1 })) }),
  };
}

const never = (): never => {
  throw new Error('what is adopted refers to nothing here');
};

const given: MappingContext = {
  name: 'etl',
  externalName: existingName,
  dialect: 'neutral',
  idOf: never,
  idsOf: never,
  resourceOf: never,
  secretOf: never,
  fileOf: never,
  remote: never,
};
