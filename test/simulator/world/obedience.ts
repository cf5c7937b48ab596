// What users do because conditions tell them to: where an object is lost or broken another one is to be made, a loss is accepted, a plan that
// waits is approved, and what was left in the service goes where it holds something else.
import {
  acceptLossAnnotation,
  approvePlanAnnotation,
  recreateAnnotation,
  runAgainAnnotation,
} from '../../../src/operator/api/shared-api.ts';
import { markerToRunAgain } from '../../support/service/runs.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { collections } from '../end/ends.ts';
import { approvedIn, planIn } from '../judge/approvals.ts';
import type { Row } from '../judge/facts.ts';
import { tenant } from '../plan/plan.ts';
import type { World } from './world.ts';

export function obey(world: World): void {
  for (const object of world.server.list('clusters')) replaceBroken(world, object);
  for (const object of world.server.list('jobexecutions')) runAgain(world, object);
  for (const plural of ['connections', 'sharedconnections'])
    for (const object of world.server.list(plural)) acceptLoss(world, object);
  for (const object of collections.flatMap((plural) => world.server.list(plural))) approve(world, object);
  for (const object of world.server.list('clustertemplates')) removeOrphans(world, object);
  for (const object of world.server.list('nodegrouptemplates')) removeOrphans(world, object);
}

const told = (object: Stored, type: 'Ready' | 'MassChange') => conditionsOf(object).find((one) => one.type === type);

function replaceBroken(world: World, object: Stored): void {
  const { metadata, status } = object;
  const { id } = (status ?? {}) as { readonly id?: string };
  const reason = told(object, 'Ready')?.reason ?? '';
  if (id === undefined || metadata.deletionTimestamp !== undefined) return;
  if (!['ExternalDeleted', 'ExternalError'].includes(reason) || metadata.annotations?.[recreateAnnotation] === id)
    return;
  world.hit(`obeyed ${reason}`);
  world.users.annotate({ kind: 'Cluster', name: metadata.name }, recreateAnnotation, id);
}

function runAgain(world: World, object: Stored): void {
  const { metadata } = object;
  const { reason = '', message } = told(object, 'Ready') ?? {};
  const marker = markerToRunAgain(message);
  if (marker === undefined || metadata.annotations?.[runAgainAnnotation] === marker) return;
  world.hit(`obeyed ${reason} of a run`);
  world.users.annotate({ kind: 'JobExecution', name: metadata.name }, runAgainAnnotation, marker);
}

function approve(world: World, object: Stored): void {
  const { policy } = (object.spec ?? {}) as { readonly policy?: string };
  const hash = planIn(object)?.hash;
  if (policy !== 'Plan' || hash === undefined || hash === approvedIn(object)) return;
  world.hit('obeyed PlanPending');
  world.users.annotate({ kind: object.kind, name: object.metadata.name }, approvePlanAnnotation, hash);
}

function acceptLoss(world: World, object: Stored): void {
  const { metadata } = object;
  const message = told(object, 'MassChange')?.message ?? '';
  const [, hash] = new RegExp(`${acceptLossAnnotation}=(\\S+)`).exec(message) ?? [];
  if (hash === undefined || metadata.annotations?.[acceptLossAnnotation] === hash) return;
  world.hit('accepted a loss');
  world.users.annotate({ kind: object.kind, name: metadata.name }, acceptLossAnnotation, hash);
}

/** What the operator was told to leave, or never had to do with, is its user's to delete. */
function removeOrphans(world: World, object: Stored): void {
  const message = told(object, 'Ready')?.message ?? '';
  if (object.metadata.deletionTimestamp === undefined || !message.includes('still uses it')) return;
  const { facts, service } = world;
  const holds = ({ record: { id, name } }: Row) =>
    message.includes(name) && (facts.orphans.has(id) || facts.orphans.has(name));
  for (const { kind, record } of facts.rows().filter(holds)) {
    world.hit('removed an orphan');
    service.store.remove(kind, tenant, record.id);
  }
}
