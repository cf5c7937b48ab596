// Where a path of the tests leads on the target: its tenant, the prefix of its dialect, and names that nobody else has.
import { cannotTry, type Target } from '../target.ts';

export interface Addressed {
  /** Below the base address. */
  readonly path: string;
  /** The prefix and the tenant; empty for paths that have neither. */
  readonly home: string;
  /** After the tenant, without `.json` and query. */
  readonly segments: readonly string[];
}

const jobs = ['data-sources', 'job-binaries', 'job-binary-internals', 'jobs', 'job-executions', 'job-types'];
const others = ['plugins', 'images', 'node-group-templates', 'cluster-templates', 'clusters'];

/** Late releases serve everything under v1.1. */
const prefixOf = ({ dialect }: Target, prefix: string, collection: string): string =>
  dialect === 'sahara' && !jobs.includes(collection) ? 'v1.1' : prefix;

function tenantOf({ tenant, otherTenant }: Target, written: string): string {
  if (written === 't') return encodeURIComponent(tenant);
  if (written !== 'other') cannotTry(`it needs a tenant called ${decodeURIComponent(written)}`);
  return encodeURIComponent(otherTenant ?? cannotTry('it needs a second tenant: --other-tenant'));
}

const segmentsOf = (rest: string): readonly string[] =>
  (rest.slice(1).split('?')[0] ?? '').replace(/\.json$/, '').split('/');

/** Late releases take the tenant of the token where the path has none. */
function withoutTenant(path: string): Addressed | undefined {
  const [, home = '', rest = ''] = /^(\/v1\.[01])(\/.*)$/.exec(path) ?? [];
  const segments = segmentsOf(rest);
  return [...jobs, ...others].includes(segments[0] ?? '') ? { path, home, segments } : undefined;
}

export function addressed(target: Target, path: string): Addressed {
  const own = withoutTenant(path);
  if (own !== undefined) return own;
  const [, prefix = '', tenant = '', rest = ''] = /^\/(v1\.[01])\/([^/]+)(\/.*)$/.exec(path) ?? [];
  if (tenant === '') return { path, home: '', segments: [] };
  const segments = segmentsOf(rest);
  const home = `/${prefixOf(target, prefix, segments[0] ?? '')}/${tenantOf(target, tenant)}`;
  return { path: home + rest, home, segments };
}

/** Names that are to be refused, or that are long for a purpose, stay as they are. */
const ordinary = /^(?=.{1,20}$)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

const marked = (name: string, suffix: string): string => (ordinary.test(name) ? name + suffix : name);

/** Hosts are called after a cluster and its groups, and must not become too long for it. */
const hasLongGroup = (body: object): boolean =>
  'node_groups' in body && /"name":"[^"]{25}/.test(JSON.stringify(body.node_groups));

const markedField = (body: object, suffix: string): object =>
  'name' in body && typeof body.name === 'string' && !hasLongGroup(body)
    ? { ...body, name: marked(body.name, suffix) }
    : body;

/** What is created or changed gets the name of its body. */
export const withOwnName = (body: unknown, suffix: string): unknown =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? markedField(body, suffix) : body;

/** Two routes take the name from the path: an upload, and a conversion under a name. */
export function withNameInPath({ path, home, segments }: Addressed, suffix: string): string {
  const [collection, , , verb, name] = segments;
  const named = collection === 'job-binary-internals' ? segments[1] : verb === 'convert-config' ? name : undefined;
  if (named === undefined || !ordinary.test(decodeURIComponent(named))) return path;
  return `${home}/${[...segments.slice(0, -1), named + suffix].join('/')}${path.endsWith('.json') ? '.json' : ''}`;
}
