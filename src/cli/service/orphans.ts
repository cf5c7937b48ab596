// What is in a service and belongs to no resource, and who made it. PURE.
import { makerMark } from '../../lib/generated-name.ts';
import type { Observed } from '../observed.ts';
import type { Claimed } from './claims.ts';
import type { ReadCollection, ServiceRow } from './collections.ts';

export interface Orphan {
  readonly kind: string;
  readonly collection: string;
  readonly name: string;
  readonly id: string;
  /** State in the service, where it has one. */
  readonly status?: string;
  /** As the service writes it, in a zone that it does not tell. */
  readonly createdAt?: string;
  /** this: an operator of this Kubernetes. other: one of another. unknown: no operator has given this name, or that of its private template. */
  readonly madeBy: 'this installation' | 'another installation' | 'unknown';
  /** Of the installation, in one of these names. */
  readonly mark?: string;
  /** A resource that names the identifier without owning the object. */
  readonly usedBy?: string;
}

export function orphansIn(
  read: readonly ReadCollection[],
  claimed: Claimed,
  ownMarks: ReadonlySet<string>,
): readonly (Orphan & { readonly row: ServiceRow })[] {
  const templates = templateNames(read);
  const made = (row: ServiceRow): MadeBy => madeByOf(row, templates, ownMarks);
  return read.flatMap(({ kind, route, rows }) =>
    rows
      .filter((row) => !isClaimed(row, claimed) && isRegistered(kind, row))
      .map((row) => ({ kind, collection: route.path, row, ...orphanOf(row, claimed), ...made(row) })),
  );
}

function isClaimed({ id, name }: ServiceRow, { owners, byUid }: Claimed): boolean {
  const [, uid] = /^(.*)-\d+$/.exec(name) ?? [];
  return owners.has(id) || owners.has(name) || (uid !== undefined && byUid.has(uid));
}

/** Services list all images of the cloud. Those that nobody registered belong to nobody. */
function isRegistered(kind: string, { fields }: ServiceRow): boolean {
  if (kind !== 'ImageRegistration') return true;
  return typeof fields['username'] === 'string' && fields['username'] !== '';
}

type MadeBy = Pick<Orphan, 'madeBy' | 'mark'>;

/** By identifier. */
function templateNames(read: readonly ReadCollection[]): ReadonlyMap<string, string> {
  const rows = read.find(({ kind }) => kind === 'ClusterTemplate')?.rows ?? [];
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function madeByOf(
  { name, fields }: ServiceRow,
  templates: ReadonlyMap<string, string>,
  ownMarks: ReadonlySet<string>,
): MadeBy {
  const template = textIn(fields, 'cluster_template_id');
  const mark = makerMark(name, template === undefined ? undefined : templates.get(template));
  if (mark === undefined) return { madeBy: 'unknown' };
  return { madeBy: ownMarks.has(mark) ? 'this installation' : 'another installation', mark };
}

function orphanOf({ id, name, fields }: ServiceRow, { users }: Claimed) {
  const user = users.get(id);
  const status = textIn(fields, 'status') ?? textIn(fields['info'], 'status');
  const createdAt = textIn(fields, 'created_at');
  return {
    name,
    id,
    ...(status === undefined ? {} : { status }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(user === undefined ? {} : { usedBy: objectText(user) }),
  } as const;
}

export function objectText({ kind, metadata }: Observed): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

function textIn(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}
