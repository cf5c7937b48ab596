// Objects for the tests of the page, and permissions that a test names.
import type { AnyDefinition, RawResource } from '../../../src/operator/api/definition.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import type { Permissions } from '../../../src/operator/web/access/permissions.ts';

export const definitionOf = (kind: string): AnyDefinition => {
  const found = definitions.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`there is no kind ${kind}`);
  return found;
};

let version = 0;

export function objectOf(
  kind: string,
  place: string,
  more: { readonly spec?: unknown; readonly status?: unknown; readonly metadata?: object } = {},
): RawResource {
  const [namespace = '', name = ''] = place.split('/');
  version += 1;
  const metadata = { name, namespace, uid: `uid-${version}`, resourceVersion: `${version}`, generation: 1 };
  const creationTimestamp = '2026-01-01T00:00:00Z';
  return {
    apiVersion: 'dataprocessing.dev/v1alpha1',
    kind,
    ...more,
    metadata: { ...metadata, creationTimestamp, ...more.metadata },
  };
}

export const conditionOf = (
  type: string,
  status: string,
  reason: string,
  message = '',
  at = '2026-01-02T00:00:00Z',
) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: at,
});

export const blocker = (kind: string, name: string) => ({
  kind,
  name,
  reason: 'DependencyNotReady',
  message: `${kind} ${name} is not ready`,
});

/** A user who may list these: `clusters` everywhere, or `clusters/team-a`. */
export function allowing(...allowed: readonly string[]): Permissions {
  return {
    user: 'jane',
    notes: () => [],
    async namespacesOf(plural, namespace) {
      const includes = (one: string) => allowed.includes(plural) || allowed.includes(`${plural}/${one}`);
      if (namespace !== undefined) return includes(namespace) ? (one) => one === namespace : undefined;
      return allowed.some((one) => one.split('/')[0] === plural) ? includes : undefined;
    },
  };
}
