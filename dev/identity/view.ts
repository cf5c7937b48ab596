// The answers of the Keystone for tests, in the words of Keystone v3.
import { createHash } from 'node:crypto';
import type { Accounts, Named } from './accounts.ts';
import type { Token } from './tokens.ts';

/** The address that the request was sent to, such as `http://127.0.0.1:8386`. */
export interface IdentityPlace {
  readonly base: string;
}

export const showVersion = ({ base }: IdentityPlace) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${base}/v3/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

/** Keystone writes microseconds. */
const timeOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

const showNamed = ({ id, name, domain }: Named) => ({ domain: { id: domain.id, name: domain.name }, id, name });

/** Derived from the words, so that it is always the same for the same accounts. */
const idOf = (...words: readonly string[]): string =>
  createHash('sha256').update(words.join()).digest('hex').slice(0, 32);

const interfaces = ['public', 'internal', 'admin'] as const;

function showService(region: string, service: { readonly type: string; readonly name: string }, url: string) {
  const endpoints = interfaces.map((each) => ({
    id: idOf(service.type, each, region),
    interface: each,
    region,
    region_id: region,
    url,
  }));
  return { endpoints, id: idOf(service.type), ...service };
}

/** Clients expect the address of the service to end with the version and the project. */
function showCatalogue({ region, url }: Accounts, project: Named, { base }: IdentityPlace) {
  const service = `${(url ?? base).replace(/\/+$/, '')}/v1.1/${project.id}`;
  return [
    showService(region, { type: 'data-processing', name: 'sahara' }, service),
    showService(region, { type: 'identity', name: 'keystone' }, `${base}/v3`),
  ];
}

interface TokenView {
  readonly accounts: Accounts;
  readonly place: IdentityPlace;
  /** The client does not want the catalog, because it is long. */
  readonly withoutCatalogue: boolean;
}

export function showToken(token: Token, { accounts, place, withoutCatalogue }: TokenView): object {
  const { method, user, project, applicationCredential, auditId, issuedAt, expiresAt } = token;
  const scoped = project && {
    project: showNamed(project),
    is_domain: false,
    roles: [{ id: idOf('role', 'member'), name: 'member' }],
    ...(withoutCatalogue ? {} : { catalog: showCatalogue(accounts, project, place) }),
  };
  const credential = applicationCredential && {
    application_credential: { id: applicationCredential.id, name: applicationCredential.name, restricted: true },
  };
  return {
    token: {
      methods: [method],
      user: { ...showNamed(user), password_expires_at: null },
      audit_ids: [auditId],
      issued_at: timeOf(issuedAt),
      expires_at: timeOf(expiresAt),
      ...scoped,
      ...credential,
    },
  };
}
