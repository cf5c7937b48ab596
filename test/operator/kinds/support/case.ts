// A case of the battery: a sentence, when it says nothing about a kind, and what happens.
import { type Route, routes } from '../../../../src/wire/routes.ts';
import type { Sample, Trial } from './sample.ts';

export interface Case {
  readonly name: string;
  /** Why the case says nothing about this kind; undefined: it applies. */
  readonly void?: (sample: Sample) => string | undefined;
  /** Parts of the case that say nothing about this kind, with the reason. */
  readonly without?: (sample: Sample) => readonly string[];
  /** The case is one of runs, and says nothing about other kinds. */
  readonly ofRuns?: true;
  /** It counts every request, or begins before the first. */
  readonly isExact?: true;
  /** There are others like it, so it is left to the long tests with every kind. */
  readonly isLong?: boolean;
  readonly run: (trial: Trial) => Promise<void>;
}

/** Why the case says nothing about the kind of the sample; undefined: it applies. */
export function voidFor(one: Case, sample: Sample): string | undefined {
  const isRun = sample.kind.identity === 'once';
  if (isRun !== (one.ofRuns ?? false)) return isRun ? 'a run has cases of its own' : 'it is no run';
  if (one.isExact && sample.isStored) return 'there is a request more for what it refers to';
  return one.void?.(sample);
}

/** What begins has an event of its own where the service works on it for a while. Elsewhere it is one event with the end. */
export const eventOfBegin = ({ kind }: Sample, reason: 'Created' | 'Deleting'): readonly string[] =>
  kind.identity === 'named' ? [reason] : [];

export const forRevised = ({ kind }: Sample): string | undefined =>
  kind.identity === 'content' ? undefined : 'an edit of it makes no other object';
export const forNamed = ({ kind }: Sample): string | undefined =>
  kind.identity === 'named' ? undefined : 'it has no state of its own';
const forConfigured = ({ config }: Sample): string | undefined =>
  config ? undefined : 'it has no config map, and the API server checks the rest of its spec';
/** Where an edit of it is refused. */
export const forFixed = (sample: Sample): string | undefined =>
  sample.kind.identity === 'content' ? 'an edit of it makes a new revision' : forConfigured(sample);
/** Where the service forgets the object when it is deleted, and can tell who made it. */
export const forMade = ({ kind }: Sample): string | undefined =>
  kind.identity === 'given'
    ? 'the object itself is not made by us, stays when it is taken off the list, and bears no sign'
    : undefined;
export const forReferring = ({ refersTo }: Sample): string | undefined =>
  refersTo ? undefined : 'it refers to nothing';
export const forUsed = ({ user }: Sample): string | undefined => (user ? undefined : 'nothing uses it');
/** Where there are services that do not know its collection. */
export const forLate = ({ kind }: Sample): string | undefined => {
  const { version }: Route = routes[kind.route];
  return version ? undefined : 'every service has its collection';
};

/** An edit that needs a write, and one that nothing has to be sent for once more. */
export function editOf({ change, content, config }: Sample) {
  return change?.edit ?? content?.edited ?? config?.edited ?? {};
}

/** Requests that changed anything in the service since `mark`. */
export const writesSince = ({ world }: Trial, mark: number): readonly string[] =>
  world.trace.slice(mark).filter((line) => /^(POST|PUT|PATCH|DELETE) /.test(line));
