// What one user may list, for one question.
import type { RawResource } from '../../api/definition.ts';
import type { Reviews, WebUser } from './reviews.ts';

/** Whether a namespace is among those that a user may see. */
type Includes = (namespace: string) => boolean;

export interface Permissions {
  /** The name of the user. */
  readonly user: string;
  /** Undefined if the user may list nothing. `present` are the objects whose namespaces count. */
  namespacesOf(
    plural: string,
    namespace: string | undefined,
    present: () => Iterable<RawResource>,
  ): Promise<Includes | undefined>;
  /** Why objects may be missing that the user may list. */
  notes(): readonly string[];
}

const longestUser = 256;
/** The next answer goes on where this one ends. */
const mostNewReviews = 200;

/** Asks for all namespaces at once, and for single ones only if that is not allowed. */
export function permissionsOf(reviews: Reviews, user: WebUser): Permissions {
  let asked = 0;
  let left = 0;
  const mayList = async (plural: string, namespace: string): Promise<boolean> => {
    const isNew = !reviews.knows(user, plural, namespace);
    if (isNew && asked >= mostNewReviews) {
      left += 1;
      return false;
    }
    if (isNew) asked += 1;
    return reviews.mayList(user, plural, namespace);
  };
  return {
    user: user.name.slice(0, longestUser),
    notes: () => (left === 0 ? [] : ['Your permissions are still being checked: more objects follow.']),
    async namespacesOf(plural, namespace, present) {
      if (namespace !== undefined) return (await mayList(plural, namespace)) ? (one) => one === namespace : undefined;
      if (await mayList(plural, '')) return () => true;
      const found = new Set<string>();
      for (const one of new Set(Iterator.from(present()).map(({ metadata }) => metadata.namespace)))
        if (await mayList(plural, one)) found.add(one);
      return found.size === 0 ? undefined : (one) => found.has(one);
    },
  };
}
