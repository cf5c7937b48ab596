// Whose the watched objects are: by it they are found, and their changes reach those who observe them. PURE.
import type { IndexOf } from '../../../../kube/watch/cache-index.ts';
import { events, type ObjectKind } from './api.ts';
import { clusterLabel, podOfClaim, runLabel } from './names.ts';

type Labels = Readonly<Record<string, string>>;

/** That of a run has the label of its cluster, too. It is the run's alone. */
function ownerIn(labels: Labels = {}): string | undefined {
  const name = [runLabel, clusterLabel].find((each) => labels[each] !== undefined);
  return name === undefined ? undefined : `${name}=${labels[name]}`;
}

/** For the thousands of claims and pods of a group, there is one owner of their events. Other names can have the same one. */
const ownerOfEvents = (name: string): string => podOfClaim(name).replace(/-\d+$/, '');

/** The name of the object that the event is about. */
export const subjectOf = (event: object): string =>
  (event as { readonly involvedObject?: { readonly name?: string } }).involvedObject?.name ?? '';

/** The owner of each object of the kind. */
export const ownerOf = ({ kind }: ObjectKind): IndexOf =>
  kind === events.kind ? (event) => ownerOfEvents(subjectOf(event)) : ({ metadata }) => ownerIn(metadata.labels);

/** Which objects of the namespace are selected. */
export interface OwnedScope {
  /** That of a run, or of a cluster. The latter selects what the cluster has besides its runs. */
  readonly labels: Labels;
  /** The names of the objects whose events are selected. */
  readonly about?: ReadonlySet<string>;
}

/** The owners of the objects of the kind that are selected. What they have besides are events about other objects. */
export function ownersIn({ kind }: ObjectKind, { labels, about = new Set() }: OwnedScope): ReadonlySet<string> {
  if (kind === events.kind) return new Set([...about].map(ownerOfEvents));
  const owner = ownerIn(labels);
  return new Set(owner === undefined ? [] : [owner]);
}
