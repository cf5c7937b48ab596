// Which objects of a service belong to resources, by the ledgers and the status of the resources. PURE.
import { installationMark, markOf } from '../../lib/generated-name.ts';
import { ledgerAnnotation } from '../../operator/api/shared-api.ts';
import { type ConnectionName, type Observed, usesConnection } from '../observed.ts';

export interface Claimed {
  /** Identifiers, and generated names of objects whose identifier is not known yet, each with its resource. */
  readonly owners: ReadonlyMap<string, Observed>;
  /** By uid: a run is marked with that of its JobExecution. */
  readonly byUid: ReadonlyMap<string, Observed>;
  /** Identifiers that specs name without claiming them. */
  readonly users: ReadonlyMap<string, Observed>;
  /** The marks of the installations whose ledgers these resources have. */
  readonly marks: ReadonlySet<string>;
}

/** The service that was asked, and the Connection that leads to it, with its namespace. */
export interface AskedPlace {
  readonly connection: ConnectionName;
  readonly namespace: string;
  readonly endpoints: readonly string[];
  readonly tenant: string;
}

interface LooseLedger {
  readonly installation?: unknown;
  readonly endpoint?: unknown;
  readonly tenant?: unknown;
  readonly claims?: unknown;
}

interface LooseClaim {
  readonly id?: unknown;
  readonly name?: unknown;
}

export function claimedBy(resources: readonly Observed[], place: AskedPlace): Claimed {
  const [owners, users, byUid] = [
    new Map<string, Observed>(),
    new Map<string, Observed>(),
    new Map<string, Observed>(),
  ];
  const marks = new Set<string>();
  for (const resource of resources) {
    const { annotations, uid } = resource.metadata;
    if (uid !== undefined) byUid.set(uid, resource);
    const ledgers = [annotations?.[ledgerAnnotation], resource.status?.['ledger']].map(parsed);
    for (const { installation } of ledgers)
      if (typeof installation === 'string') marks.add(installationMark(installation));
    if (isOfAnother(resource, ledgers, place)) continue;
    const named = idsIn(resource.spec, 0);
    for (const id of named) users.set(id, resource);
    for (const word of ownWords(resource, ledgers)) owners.set(word, resource);
    if (resource.kind === 'ImageRegistration') for (const image of named) owners.set(image, resource);
  }
  return { owners, users, byUid, marks };
}

/** Registered in another service or tenant. An image has its identifier in each that knows it; other identifiers are unique. */
function isOfAnother(
  resource: Observed,
  ledgers: readonly LooseLedger[],
  { connection, namespace, endpoints, tenant: asked }: AskedPlace,
): boolean {
  if (resource.kind !== 'ImageRegistration' || usesConnection(resource, connection, namespace)) return false;
  return !ledgers.some(({ endpoint, tenant }) => tenant === asked && endpoints.some((one) => one === endpoint));
}

function ownWords({ status }: Observed, ledgers: readonly LooseLedger[]): readonly string[] {
  const id = status?.['id'];
  return [...ledgers.flatMap(({ claims }) => wordsOf(claims)), ...(typeof id === 'string' ? [id] : [])];
}

function parsed(text: unknown): LooseLedger {
  try {
    return typeof text === 'string' ? ((JSON.parse(text) ?? {}) as LooseLedger) : {};
  } catch {
    return {};
  }
}

/** Of a name that others may give, too, only an identifier proves anything. */
function wordsOf(claims: unknown): readonly string[] {
  if (!Array.isArray(claims)) return [];
  return claims.flatMap((one: LooseClaim | null) => {
    const { id, name } = one ?? {};
    const isGenerated = typeof name === 'string' && markOf(name) !== undefined;
    return [...(typeof id === 'string' ? [id] : []), ...(isGenerated ? [name] : [])];
  });
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const deepest = 6;

function idsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return uuid.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  return Object.values(value).flatMap((one) => idsIn(one, depth + 1));
}
