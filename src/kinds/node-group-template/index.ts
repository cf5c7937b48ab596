// The kind NodeGroupTemplate: content-named, without a state of its own, never updated.
import { register } from '../../reconcile/kind.ts';
import type { NodeGroupTemplate, NodeGroupTemplateCreate } from '../../wire/node-group-template.ts';
import { routes } from '../../wire/routes.ts';
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
  configRemedy: 'make a new template under another name and refer to it',
  references: () => [],
  lookups: () => [],
  check: () => undefined,
  configs: (spec) => ({ nodeConfigs: spec.nodeConfigs }),
  content,
  desired: (spec, given) => ({ body: body(spec, given.externalName) }),
  health: () => ({ state: 'ready' }),
  difference: () => ({ state: 'none' }),
  report,
  mentions: () => [],
  external: (service) => ({
    create: (request, { permit }) => service.create(routes.nodeGroupTemplates, request, permit),
    remove: (id, { permit }) => service.remove(routes.nodeGroupTemplates, id, permit),
  }),
});
