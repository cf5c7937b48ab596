// Whose an object of the service is: by recorded id, by a generated name, or under a fixed name by the template it was started from. PURE.
import type { AnyKind, RemoteObject } from './kind.ts';
import { type Claim, privateClaims } from './ledger.ts';
import { type Identity, isOwnName, revisionOf } from './naming.ts';
import { refuse } from './obstacles.ts';
import type { Outcome } from './outcome.ts';
import { collectionOf, objectsNamed, type Situation } from './situation.ts';

/** What names are made of. */
export function identityOf({ facts, installation }: Situation): Identity {
  const { metadata } = facts.resource;
  const base = facts.spec.ok ? facts.spec.value['name'] : undefined;
  return { name: typeof base === 'string' ? base : metadata.name, uid: metadata.uid, installation };
}

/** The name that the spec fixes. */
export function fixedNameOf({ kind, facts }: Pick<Situation, 'kind' | 'facts'>): string | undefined {
  return facts.spec.ok ? kind.fixedName?.of(facts.spec.value) : undefined;
}

/** The kind that a claim's object is of: the resource's own, or that of its private templates. */
export function kindOf(kind: AnyKind, claim: Claim | undefined): AnyKind {
  const template = kind.fixedName?.privateTemplate;
  return template && claim?.collection === collectionOf(template) ? template : kind;
}

/** With the ledger lost, private templates come back by the tag in their names. */
export function lostTemplates(situation: Situation): readonly Claim[] {
  const { kind, templates } = situation;
  const template = kind.fixedName?.privateTemplate;
  if (!template || !templates) return [];
  return [...templates.names()].flatMap((row): readonly Claim[] => {
    const hash = isOwnName(row.name, identityOf(situation)) ? revisionOf(row.name) : undefined;
    if (hash === undefined) return [];
    return [{ role: 'private', collection: collectionOf(template), name: row.name, id: row.id, hash }];
  });
}

/** Of objects that bear a fixed name those that were started from a template of ours: nobody else gives such a name to one. */
export function provenOwn(situation: Situation, rows: readonly RemoteObject[]): readonly RemoteObject[] {
  const { kind, ledger, templates } = situation;
  const claims = ledger ? privateClaims(ledger) : lostTemplates(situation);
  const named = claims.flatMap(({ name }) => templates?.byName(name) ?? []);
  const ids = new Set([...claims, ...named].map(({ id }) => id));
  return rows.filter((row) => {
    const from = kind.fixedName?.startedFrom(row);
    return from !== undefined && ids.has(from);
  });
}

/** The objects of a claim's name that are ours. Beside a private template the name of the object itself is a fixed one. */
export function ownNamed(situation: Situation, claim: Claim): readonly RemoteObject[] {
  const { kind, view, ledger } = situation;
  const rows = view ? objectsNamed(kind, view, claim.name) : [];
  const fixed = kind.fixedName !== undefined && privateClaims(ledger).length > 0;
  return fixed ? provenOwn(situation, rows) : rows;
}

/** The objects that are ours: by recorded id, and by name. */
export function ownObjects(situation: Situation, claim: Claim): readonly RemoteObject[] {
  const recorded = claim.id === undefined ? undefined : situation.view?.byId(claim.id);
  const named = ownNamed(situation, claim).filter((row) => row.id !== claim.id);
  return recorded ? [recorded, ...named] : named;
}

/** Somebody else has an object of the fixed name; undefined: nobody, or it is ours. */
export function nameConflict(situation: Situation, name: string): Outcome | undefined {
  const { kind, view } = situation;
  if (fixedNameOf(situation) === undefined || !view) return undefined;
  const rows = view.byName(name);
  const [other] = rows;
  if (!other || provenOwn(situation, rows).length > 0) return undefined;
  const what = kind.definition.kind;
  const owner = situation.ownerOf(other.id);
  const which = owner === undefined ? other.id : `${other.id}, of ${owner}`;
  return refuse(
    'NameConflict',
    `cannot use the name ${name}: the service has another object of it (${which}) that was not made for this ${what}. ` +
      `Nothing is made until that one is gone; or delete this ${what} and apply it with another spec.name`,
  );
}
