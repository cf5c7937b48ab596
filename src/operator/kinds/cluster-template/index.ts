// The kind ClusterTemplate: content-named and without state; an edit makes another object.
import type { ClusterTemplate, ClusterTemplateCreate } from '../../../wire/cluster-template.ts';
import { routes } from '../../../wire/routes.ts';
import type { ContentKind } from '../../reconcile/kind/kind.ts';
import { checkGroups, groupReferences } from '../node-groups.ts';
import { body, content, mentions, report } from './mapping.ts';
import { clusterTemplate } from './schema.ts';

export const clusterTemplateKind: ContentKind = {
  definition: clusterTemplate,
  route: 'clusterTemplates',
  identity: 'content',
  references: (spec) => groupReferences(spec.nodeGroups),
  check: (spec, dialect) => checkGroups(spec.nodeGroups, dialect),
  content,
  nameEnding: () => undefined,
  privateContent: undefined,
  desired: (spec, given) => ({ body: body(spec, given.externalName, given) }),
  remedy: () => undefined,
  health: () => ({ state: 'ready' }),
  report,
  referencesIn: { routes: ['nodeGroupTemplates'], of: mentions },
  create: (service, request, permit) => service.create(routes.clusterTemplates, request, permit),
} satisfies ContentKind<typeof clusterTemplate, ClusterTemplateCreate, ClusterTemplate>;
