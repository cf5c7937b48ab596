// The routes of early upstream releases that are not implemented there: changes of templates.
import { routes } from '../../wire/routes.ts';
import { Refusal } from '../http/refusal.ts';
import { need, titles } from '../records/checks.ts';
import type { Endpoint } from './endpoint.ts';
import { named } from './resource-routes.ts';

const undone = (kind: 'nodeGroupTemplates' | 'clusterTemplates'): Endpoint => ({
  dialect: 'savanna',
  method: 'PUT',
  path: `${routes[kind].path}/:id`,
  // The body is ignored.
  reads: 'text',
  about: {
    summary: `Change ${titles[kind]}`,
    description: 'Not implemented.',
    ...named(kind),
    success: { status: 202, one: kind },
    causes: ['undone'],
  },
  handle({ store }, call) {
    need(store, kind, call);
    const text = `cannot change ${titles[kind]} ${call.id}: early releases do not; create another one, under another name`;
    throw new Refusal([501, 'NOT_IMPLEMENTED_ERROR'], text);
  },
});

export const earlyEndpoints: readonly Endpoint[] = [undone('nodeGroupTemplates'), undone('clusterTemplates')];
