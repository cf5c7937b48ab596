// The kind DataSource: content-named and without state; an edit makes another object.
import type { DataSource, DataSourceCreate } from '../../../wire/jobs.ts';
import { routes } from '../../../wire/routes.ts';
import { type ContentKind, noReferences } from '../../reconcile/kind/kind.ts';
import { secretsIn } from '../object-credentials.ts';
import { checkLocation } from './locations.ts';
import { body, content, references, report } from './mapping.ts';
import { dataSource } from './schema.ts';

export const dataSourceKind: ContentKind = {
  definition: dataSource,
  route: 'dataSources',
  identity: 'content',
  references,
  referencesIn: noReferences,
  check: checkLocation,
  content,
  nameEnding: () => undefined,
  privateContent: undefined,
  desired: (spec, given) => ({ body: body(spec, given) }),
  remedy: ({ errorName }) =>
    errorName === 'INVALID_CREDENTIALS'
      ? 'Name a Secret with the keys user and password in spec.credentialsSecretRef'
      : undefined,
  health: () => ({ state: 'ready' }),
  report,
  create: (service, request, permit) =>
    service.create(routes.dataSources, request, permit, secretsIn(request.credentials)),
} satisfies ContentKind<typeof dataSource, DataSourceCreate, DataSource>;
