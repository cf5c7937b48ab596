// Manifests that adopt what is in a service, in an order in which they can be applied. PURE.

import { apiVersion } from '../../operator/api/shared-api.ts';
import type { KubeObject } from '../objects.ts';
import type { ConnectionName, Observed } from '../observed.ts';
import { adoptersOf } from '../preview/adoption/adopters.ts';
import type { ServiceRow } from '../service/collections.ts';
import type { ServiceInventory } from '../service/inventory.ts';
import { type Orphan, objectText, orphansIn } from '../service/orphans.ts';
import { adoption } from './adoption.ts';
import { uniqueName } from './object-names.ts';
import { specs, unfitText } from './specs.ts';

export interface Importing {
  readonly inventory: Pick<ServiceInventory, 'read' | 'claimed' | 'ownMarks'>;
  readonly namespace: string;
  readonly connection: ConnectionName;
  readonly all: boolean;
  readonly only: readonly string[];
}

export interface Imported {
  readonly manifests: readonly (KubeObject & { readonly spec: object })[];
  /** What was left out, in one line each. */
  readonly notes: readonly string[];
  /** What was asked for, and is not there or belongs to a resource. */
  readonly unknown: readonly string[];
}

type Found = Orphan & { readonly row: ServiceRow };
/** By `kind/id`. */
type Adopters = ReadonlyMap<string, Observed>;

export function manifestsFor(importing: Importing): Imported {
  const { inventory, only, all } = importing;
  const { read, claimed, ownMarks } = inventory;
  const orphans = orphansIn(read, claimed, ownMarks).filter(({ kind }) => specs[kind] !== undefined);
  const adopters = adoptersOf({ ...importing, ...inventory });
  const isMeant = ({ id, name }: Found): boolean => only.length === 0 || only.includes(id) || only.includes(name);
  const meant = orphans.filter(isMeant);
  const adopted = meant.filter(({ kind, id }) => adopters.has(`${kind}/${id}`));
  const free = meant.filter((one) => !adopted.includes(one));
  const foreign = free.filter(({ madeBy }) => madeBy === 'another installation' && !all);
  const wanted = free.filter((one) => !foreign.includes(one));
  const chosen = wanted.filter(({ kind, row }) => unfitText(kind, row) === undefined);
  const unknown = only.filter((word) => !orphans.some(({ id, name }) => word === id || word === name));
  const made = written(importing, chosen, adopters);
  const skipped = foreign.length === 0 ? [] : [foreignText(foreign)];
  const notes = [...adoptedTexts(adopted, adopters), ...skipped, ...unfitTexts(wanted), ...made.notes];
  return { manifests: made.manifests, notes, unknown };
}

function adoptedTexts(adopted: readonly Found[], adopters: Adopters): readonly string[] {
  return adopted.flatMap(({ kind, id, name }) => {
    const adopter = adopters.get(`${kind}/${id}`);
    return adopter === undefined ? [] : [`${kind} ${name} (${id}): spec.adopt of ${objectText(adopter)} names it`];
  });
}

function unfitTexts(wanted: readonly Found[]): readonly string[] {
  return wanted.flatMap(({ kind, id, name, row }) => {
    const why = unfitText(kind, row);
    return why === undefined ? [] : [`${kind} ${name} (${id}): ${why}`];
  });
}

function foreignText(foreign: readonly Found[]): string {
  const [first] = foreign;
  return `${foreign.length} made by another installation of the operator (such as ${first?.collection} ${first?.name}): two must not manage the same object. --all writes them, too`;
}

function written({ inventory, namespace, connection }: Importing, chosen: readonly Found[], adopters: Adopters) {
  const { read, claimed } = inventory;
  const names = namesFor(takenNames(claimed.byUid.values(), namespace), chosen);
  const nameOf = (kind: string, id: string): string | undefined => {
    const owner = claimed.owners.get(id) ?? adopters.get(`${kind}/${id}`);
    const isHere = owner?.kind === kind && owner.metadata.namespace === namespace;
    return names.get(`${kind}/${id}`) ?? (isHere ? owner.metadata.name : undefined);
  };
  const templates = read.find(({ kind }) => kind === 'ClusterTemplate')?.rows ?? [];
  const templateOf = (id: string): ServiceRow | undefined => templates.find((one) => one.id === id);
  const notes: string[] = [];
  const manifests = chosen.map(({ kind, row }) => {
    const left: string[] = [];
    const name = nameOf(kind, row.id) ?? row.id;
    const spec = {
      ...referenceTo(connection),
      ...adoption(kind, row.id),
      ...specs[kind]?.({ row, nameOf, templateOf, left }),
    };
    notes.push(...left.map((path) => `${kind} ${name}: spec.${path}, which may be a secret`));
    return { apiVersion, kind, metadata: { name, namespace }, spec };
  });
  return { manifests, notes };
}

/** None for the default. */
function referenceTo({ kind, name }: ConnectionName): object {
  if (kind === 'SharedConnection') return { connectionRef: { kind, name } };
  return name === 'default' ? {} : { connectionRef: { name } };
}

/** Of all resources: one without an identifier has a name, too, and applying the manifest would change it. */
function takenNames(
  resources: Iterable<{ readonly kind: string; readonly metadata: KubeObject['metadata'] }>,
  namespace: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const taken = new Map<string, Set<string>>();
  for (const { kind, metadata } of resources) {
    if (metadata.namespace !== namespace) continue;
    taken.set(kind, (taken.get(kind) ?? new Set()).add(metadata.name));
  }
  return taken;
}

/** By `kind/id`. */
function namesFor(
  existing: ReadonlyMap<string, ReadonlySet<string>>,
  chosen: readonly Found[],
): ReadonlyMap<string, string> {
  const taken = new Map([...existing].map(([kind, names]) => [kind, new Set(names)]));
  const names = new Map<string, string>();
  for (const { kind, row } of chosen) {
    const ofKind = taken.get(kind) ?? new Set<string>();
    taken.set(kind, ofKind);
    names.set(`${kind}/${row.id}`, uniqueName(ofKind, row));
  }
  return names;
}
