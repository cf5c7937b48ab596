// Exports templates as files for another service, as late upstream releases do. Fields that are meaningless elsewhere are left open.
import { routes } from '../../wire/routes.ts';
import { need, titles } from '../records/checks.ts';
import { type Call, type Endpoint, ok } from '../routes/endpoint.ts';
import { named } from '../routes/resource-routes.ts';
import { type Service, showOne } from '../service.ts';
import { omit } from '../views/job-view.ts';

const onlyHere = ['id', 'created_at', 'updated_at', 'tenant_id', 'is_default'];

/** The value of an open field, to be replaced before a template is created from the file. */
const open = {
  nodeGroupTemplates: ['flavor_id', 'floating_ip_pool', 'image_id', 'security_groups'],
  clusterTemplates: ['default_image_id', 'node_groups'],
} as const;

const shownAs = {
  nodeGroupTemplates: 'nodeGroupTemplateExport',
  clusterTemplates: 'clusterTemplateExport',
} as const;

const exportOf =
  (kind: keyof typeof open) =>
  (service: Service, { tenant, id }: Call): ReturnType<Endpoint['handle']> => {
    const { single } = routes[kind];
    const shown = showOne(service, { kind, tenant }, need(service.store, kind, { tenant, id }));
    const placeholders = Object.fromEntries(open[kind].map((name) => [name, `{${name}}`]));
    return {
      ...ok(JSON.stringify({ [single]: { ...omit(shown, onlyHere), ...placeholders } })),
      headers: { 'content-disposition': `attachment; filename=${single}.json` },
    };
  };

const exporting = (kind: keyof typeof open): Endpoint => ({
  dialect: 'sahara',
  method: 'GET',
  path: `${routes[kind].path}/:id/export`,
  about: {
    summary: `Export ${titles[kind]}`,
    description: 'Without what is only true here; some fields are left open, and hold their names in braces.',
    ...named(kind),
    success: { status: 200, one: shownAs[kind] },
  },
  handle: exportOf(kind),
});

export const exportEndpoints: readonly Endpoint[] = [exporting('nodeGroupTemplates'), exporting('clusterTemplates')];
