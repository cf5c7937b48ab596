// Which objects of a service belong to resources, by the ledgers and the status of the resources. PURE.
import { installationMark, markOf } from '../../lib/generated-name.ts';
import { ledgerAnnotation } from '../../operator/api/shared-api.ts';
import type { Observed } from '../observed.ts';

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

interface LooseLedger {
  readonly installation?: unknown;
  readonly claims?: unknown;
}

interface LooseClaim {
  readonly id?: unknown;
  readonly name?: unknown;
}

export function claimedBy(resources: readonly Observed[]): Claimed {
  const [owners, users, byUid] = [
    new Map<string, Observed>(),
    new Map<string, Observed>(),
    new Map<string, Observed>(),
  ];
  const marks = new Set<string>();
  for (const resource of resources) {
    const { annotations, uid } = resource.metadata;
    if (uid !== undefined) byUid.set(uid, resource);
    for (const id of idsIn(resource.spec, 0)) users.set(id, resource);
    const ledgers = [annotations?.[ledgerAnnotation], resource.status?.['ledger']].map(parsed);
    for (const { installation, claims } of ledgers) {
      if (typeof installation === 'string') marks.add(installationMark(installation));
      for (const word of wordsOf(claims)) owners.set(word, resource);
    }
    const id = resource.status?.['id'];
    if (typeof id === 'string') owners.set(id, resource);
    if (resource.kind === 'ImageRegistration') for (const image of idsIn(resource.spec, 0)) owners.set(image, resource);
  }
  return { owners, users, byUid, marks };
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
