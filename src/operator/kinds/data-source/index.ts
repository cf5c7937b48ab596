// The kind DataSource: content-named and without state; an edit makes another object.
import type { DataSource, DataSourceCreate } from '../../../wire/jobs.ts';
import { routes } from '../../../wire/routes.ts';
import { register } from '../../reconcile/kind.ts';
import { checkLocation } from './locations.ts';
import { body, content, report } from './mapping.ts';
import { dataSource } from './schema.ts';

export const dataSourceKind = register<typeof dataSource, DataSourceCreate, DataSource, never, never>({
  definition: dataSource,
  route: 'dataSources',
  identity: 'content',
  onVanished: 'recreate',
  pollSeconds: 120,
  references: () => [],
  lookups: () => [],
  check: checkLocation,
  content,
  desired: (spec, given) => ({ body: body(spec, given.externalName) }),
  remedy: ({ errorName }) =>
    errorName === 'INVALID_CREDENTIALS'
      ? 'A DataSource cannot have credentials yet: use a service that reads Swift as a proxy user, or another type in spec.type'
      : undefined,
  health: () => ({ state: 'ready' }),
  difference: () => ({ state: 'none' }),
  report,
  external: (service) => ({
    create: (request, { permit }) => service.create(routes.dataSources, request, permit),
    remove: (id, { permit }) => service.remove(routes.dataSources, id, permit),
  }),
});
