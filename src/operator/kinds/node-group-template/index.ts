// The kind NodeGroupTemplate: content-named and without state; an edit makes another object.
import type { NodeGroupTemplate, NodeGroupTemplateCreate } from '../../../wire/node-group-template.ts';
import { routes } from '../../../wire/routes.ts';
import { register } from '../../reconcile/kind.ts';
import { body, content, report } from './mapping.ts';
import { nodeGroupTemplate } from './schema.ts';

export const nodeGroupTemplateKind = register<
  typeof nodeGroupTemplate,
  NodeGroupTemplateCreate,
  NodeGroupTemplate,
  never,
  never
>({
  definition: nodeGroupTemplate,
  route: 'nodeGroupTemplates',
  identity: 'content',
  onVanished: 'recreate',
  pollSeconds: 120,
  references: () => [],
  lookups: () => [],
  check: () => undefined,
  content,
  desired: (spec, given) => ({ body: body(spec, given.externalName) }),
  health: () => ({ state: 'ready' }),
  difference: () => ({ state: 'none' }),
  report,
  external: (service) => ({
    create: (request, { permit }) => service.create(routes.nodeGroupTemplates, request, permit),
    remove: (id, { permit }) => service.remove(routes.nodeGroupTemplates, id, permit),
  }),
});
