// The kind NodeGroupTemplate: content-named and without state; an edit makes another object.
import type { NodeGroupTemplate, NodeGroupTemplateCreate } from '../../../wire/node-group-template.ts';
import { routes } from '../../../wire/routes.ts';
import { type ContentKind, noReferences } from '../../reconcile/kind/kind.ts';
import { body, content, report } from './mapping.ts';
import { nodeGroupTemplate } from './schema.ts';

export const nodeGroupTemplateKind: ContentKind = {
  definition: nodeGroupTemplate,
  route: 'nodeGroupTemplates',
  identity: 'content',
  references: () => [],
  referencesIn: noReferences,
  check: () => undefined,
  content,
  nameEnding: () => undefined,
  privateContent: undefined,
  desired: (spec, given) => ({ body: body(spec, given.externalName) }),
  remedy: () => undefined,
  health: () => ({ state: 'ready' }),
  report,
  create: (service, request, permit) => service.create(routes.nodeGroupTemplates, request, permit),
} satisfies ContentKind<typeof nodeGroupTemplate, NodeGroupTemplateCreate, NodeGroupTemplate>;
