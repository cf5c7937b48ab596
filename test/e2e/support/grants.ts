// Permissions as words, `patch clusters.dataprocessing.dev/status`: those that an installation grants, and those that were used.
import type { Manifest } from '../../../dev/demo/manifests.ts';
import type { Asked } from './audit.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** By the roles that are bound to the operator. */
export function granted(manifests: readonly Manifest[]): readonly string[] {
  const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding'));
  const bound = bindings.map(({ roleRef }) => roleRef as { readonly kind: string; readonly name: string });
  const roles = manifests.filter(({ kind, metadata }) =>
    bound.some((role) => role.kind === kind && role.name === metadata.name),
  );
  return sorted(roles.flatMap(({ rules }) => (rules as readonly Rule[]).flatMap(wordsOf)));
}

const wordsOf = ({ apiGroups, resources, verbs }: Rule): readonly string[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) => {
      const [plural = '', subresource] = resource.split('/');
      const name = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
      return verbs.map((verb) => `${verb} ${name}`);
    }),
  );

export const used = (asked: readonly Asked[]): readonly string[] =>
  sorted(asked.map(({ verb, resource }) => `${verb} ${resource}`));

const sorted = (words: readonly string[]): readonly string[] => [...new Set(words)].toSorted();

/** What the bundled service uses only where pods run: for jobs, for machines that leave, and for volumes, which controllers make. */
export const onlyWithPods: readonly string[] = [
  ...['create', 'delete', 'get', 'list'].map((verb) => `${verb} jobs.batch`),
  'get pods',
  'delete pods',
  'get pods/log',
  'get pods/exec',
  'create pods/exec',
  'delete persistentvolumeclaims',
  ...['services', 'secrets', 'networkpolicies.networking.k8s.io', 'ingresses.networking.k8s.io', 'jobs.batch'].map(
    (resource) => `watch ${resource}`,
  ),
  // By API servers that do not begin a watch with a list.
  'list events',
];
