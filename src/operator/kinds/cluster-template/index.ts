// The kind ClusterTemplate: content-named and without state; an edit makes another object.
import type { ClusterTemplate, ClusterTemplateCreate } from '../../../wire/cluster-template.ts';
import { routes } from '../../../wire/routes.ts';
import { register } from '../../reconcile/kind.ts';
import { checkGroups, groupReferences } from '../node-groups.ts';
import { body, content, mentions, report } from './mapping.ts';
import { clusterTemplate } from './schema.ts';

export const clusterTemplateKind = register<
  typeof clusterTemplate,
  ClusterTemplateCreate,
  ClusterTemplate,
  never,
  never
>({
  definition: clusterTemplate,
  route: 'clusterTemplates',
  identity: 'content',
  onVanished: 'recreate',
  pollSeconds: 120,
  references: (spec) => groupReferences(spec.nodeGroups),
  lookups: () => [],
  check: (spec, dialect) => checkGroups(spec.nodeGroups, dialect),
  content,
  desired: (spec, given) => ({ body: body(spec, given.externalName, given) }),
  health: () => ({ state: 'ready' }),
  difference: () => ({ state: 'none' }),
  report,
  referencesIn: { routes: ['nodeGroupTemplates'], of: mentions },
  external: (service) => ({
    create: (request, { permit }) => service.create(routes.clusterTemplates, request, permit),
    remove: (id, { permit }) => service.remove(routes.clusterTemplates, id, permit),
  }),
});
