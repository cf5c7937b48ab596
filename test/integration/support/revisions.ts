// An edit of a NodeGroupTemplate, and what it makes of templates and clusters.
import { conditionOf, type Resource, specs, type World } from './world.ts';

export const larger = { ...specs.worker, flavorID: '4' };

export const revised = (from: Resource) => (one: Resource) =>
  one.status?.revision !== from.status?.revision && conditionOf(one, 'Ready')?.status === 'True';
export const flavorOf = async (world: World, cluster: Resource, group: string): Promise<string | undefined> => {
  const found = (await world.remote('clusters')).find(({ id }) => id === cluster.status?.id);
  return found?.node_groups?.find(({ name }) => name === group)?.flavor_id;
};
