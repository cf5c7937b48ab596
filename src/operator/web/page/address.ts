// What the page shows, as the part of its address behind #: `/#/clusters/team-a/etl` and `/#/clusters?namespace=team-a`. PURE.
import type { WebName } from '../view/answer.ts';

/** As the query of /api/objects. The server checks the values. */
export type PageAddress = Readonly<Partial<Record<'resource' | 'namespace' | 'name' | 'state', string>>>;

export function readAddress(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [resource, namespace, name] = path.split('/').map(decoded);
  const filters = new URLSearchParams(query);
  return compact({
    resource,
    namespace: namespace || (filters.get('namespace') ?? undefined),
    name,
    state: filters.get('state') ?? undefined,
  });
}

export function hashOf({ resource = '', namespace = '', name = '', state = '' }: PageAddress): string {
  if (name !== '') return `#/${[resource, namespace, name].map(encodeURIComponent).join('/')}`;
  const filters = new URLSearchParams(compact({ namespace, state })).toString();
  return `#/${encodeURIComponent(resource)}${filters === '' ? '' : `?${filters}`}`;
}

export function hashOfObject({ resource, namespace, name }: WebName): string {
  return hashOf({ resource, namespace, name });
}

export function queryOf(address: PageAddress): string {
  return new URLSearchParams(address as Record<string, string>).toString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The server refuses it, as any name that cannot be.
    return text;
  }
}

function compact(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1])));
}
