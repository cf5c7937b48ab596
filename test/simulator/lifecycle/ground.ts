// A world that is driven by hand, with a cluster that expires.
import type { Plan } from '../plan/plan.ts';
import { actorOf, Hand, specOf, subject } from '../remedies/hand.ts';

/** A Ready cluster with this lifecycle, and what a run on it needs. */
export async function ready(lifecycle: object, plan: Partial<Plan> = {}): Promise<Hand> {
  const hand = new Hand(plan);
  await hand.ground(actorOf('JobExecution'));
  hand.apply('Cluster', subject, { ...specOf('Cluster'), lifecycle });
  await hand.reports('Cluster', subject, 'Available');
  return hand;
}

export const later = (hand: Hand, ms: number): Promise<void> => hand.world.advance(hand.world.scheduler.now + ms);
export const clusterIn = (hand: Hand) => hand.object('Cluster', subject);
export const runSpec = { ...specOf('JobExecution'), clusterRef: { name: subject } };
