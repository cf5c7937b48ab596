// The name that a user fixes for a cluster: which names are allowed, alone and together with the names of groups. PURE.
import { hostNameLimit } from '../../../wire/cluster.ts';
import { type Rule, text } from '../../api/keywords.ts';
import { resourceName } from '../../api/node-group.ts';

/** The name of a group has at least one character. */
export const fixedName = text(hostNameLimit - 1, resourceName)
  .describe(
    'Exact name of a new cluster in the service. For a cluster that exists already, use adopt instead: while the service has another cluster of this name, the operator leaves that one alone, creates nothing and reports NameConflict. A cluster with an exact name is started from a private cluster template, which proves the ownership. When unset, the operator generates a name from the name of this object and a tag. Immutable.',
  )
  .meta({ example: 'analytics' });

/** Cluster and group together make the names of hosts. */
export const namesFit: Rule = {
  rule: `!has(self.name) || !has(self.nodeGroups) || self.nodeGroups.all(g, self.name.size() + g.name.size() <= ${hostNameLimit})`,
  message: `name and the name of each node group together must not exceed ${hostNameLimit} characters: host names contain both`,
  fieldPath: '.name',
};

/** The same with the groups of a template, which the API server does not see. */
export const checkName = (name: string, groups: readonly string[]): string | undefined => {
  const long = groups.find((group) => name.length + group.length > hostNameLimit);
  if (long === undefined) return undefined;
  return `spec.name: ${name} and the node group ${long} together exceed ${hostNameLimit} characters, which is too long for a host name: use a shorter cluster name, or a template with a shorter group name`;
};

/** The name that a spec fixes, whatever else is wrong with the spec. */
export const statedName = (spec: unknown): string | undefined => {
  const { name } = (spec ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
};
