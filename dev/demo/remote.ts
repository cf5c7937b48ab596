// Reads the service directly over HTTP, to verify what the operator reports.

export interface RemoteGroup {
  readonly name: string;
  readonly count: number;
}

export interface RemoteObject {
  readonly id: string;
  /** Executions have none. */
  readonly name?: string;
  readonly status?: string;
  readonly node_groups?: readonly RemoteGroup[];
  /** Of a cluster: addresses, by component and title. */
  readonly info?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Tenant {
  readonly url: string;
  readonly tenant: string;
  readonly token: string;
}

/** The collections that hold what a tenant creates, by the version of the API that has them. */
const versions = {
  clusters: 'v1.0',
  'cluster-templates': 'v1.0',
  'node-group-templates': 'v1.0',
  'data-sources': 'v1.1',
  'job-binaries': 'v1.1',
  'job-binary-internals': 'v1.1',
  jobs: 'v1.1',
  'job-executions': 'v1.1',
} as const;
export type Collection = keyof typeof versions;
const collections = Object.keys(versions) as readonly Collection[];

/** Throws `cannot list <collection>: <status>` for everything but success. */
export async function listRemote(
  { url, tenant, token }: Tenant,
  collection: Collection,
): Promise<readonly RemoteObject[]> {
  const response = await fetch(`${url}/${versions[collection]}/${tenant}/${collection}`, {
    headers: { 'x-auth-token': token },
  });
  if (!response.ok) throw new Error(`cannot list ${collection} of the service: ${response.status}`);
  const body = (await response.json()) as Readonly<Record<string, readonly RemoteObject[]>>;
  return Object.values(body)[0] ?? [];
}

/** All that the tenant holds, as `collection name`; empty when nothing is left. */
export async function listEverything(tenant: Tenant): Promise<readonly string[]> {
  const lists = await Promise.all(
    collections.map(async (collection) =>
      (await listRemote(tenant, collection)).map(({ name, id }) => `${collection} ${name ?? id}`),
    ),
  );
  return lists.flat();
}

/** Counts by group; groups of none are left out, because the service may drop or keep them. */
export function countsOf({ node_groups = [] }: RemoteObject): Readonly<Record<string, number>> {
  const filled = node_groups.filter(({ count }) => count > 0).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(filled.map(({ name, count }) => [name, count]));
}
