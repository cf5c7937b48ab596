// Which lists of a service cannot be read, for the status of its Connection: the rest of the service may work.

import type { Category } from '../../wire/errors/errors.ts';
import { routes } from '../../wire/routes.ts';
import type { RequestNote } from '../client/http/request.ts';
import type { PoolEntry } from './entry.ts';
import type { Unlisted } from './pass/registry.ts';

/** A single failure may be chance. */
const tellingTimes = 2;

/** Other failures concern credentials or load, which the Connection's own check finds. */
const aboutLists: readonly (Category | undefined)[] = ['malformed', 'unreachable', 'serverFault'];

/** Records how a list was read; true where the report changes. */
export function noteList({ failedLists }: PoolEntry, { method, route, template, category, why }: RequestNote): boolean {
  // The Connection's own check reads the plugins, and judges by itself.
  if (method !== 'GET' || template !== `/${route}` || route === routes.plugins.path) return false;
  const before = failedLists.get(route);
  const told = (before?.times ?? 0) >= tellingTimes;
  if (category === undefined) failedLists.delete(route);
  if (category === undefined) return told;
  if (!aboutLists.includes(category) || why === undefined) return false;
  const times = (before?.times ?? 0) + 1;
  failedLists.set(route, { times, why });
  return times === tellingTimes || (told && before?.why !== why);
}

/** Those that failed more than once in a row. */
export function unlistedOf(entry: PoolEntry | undefined): readonly Unlisted[] {
  const failed = [...(entry?.failedLists ?? [])].filter(([, { times }]) => times >= tellingTimes);
  return failed
    .map(([collection, { why }]) => ({ collection, why }))
    .toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
}
