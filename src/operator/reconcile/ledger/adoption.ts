// Which existing object a resource is to stand for, as its spec states. PURE. Read leniently: deletion must not depend on a spec that parses.
import { z } from 'zod';
import { memoize } from '../../../lib/memoize.ts';
import { serviceID } from '../../../wire/common.ts';
import type { RawResource } from '../../api/definition.ts';
import { type Claim, isMirrored, ledgerIn, mirrorText } from './ledger.ts';

const adopt = z.object({
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  match: z.record(z.string(), z.string()).optional().catch(undefined),
});

/** An object of the service; its other fields are read by the words of the interface. */
type ListedObject = { readonly id: string; readonly name: string };

/** What `spec.adopt` asks for. */
export interface AdoptedTarget {
  /** For people: `id 2b97…`, `name etl`. */
  readonly text: string;
  /** What identifies it alone. */
  readonly given?: { readonly id: string } | { readonly name: string };
  isMet(row: ListedObject): boolean;
  /** The same by what a ledger records of an object. */
  isStated(claim: ListedObject): boolean;
}

const targets = memoize((spec: object): AdoptedTarget | undefined => {
  const { id: spelled, name, match } = adopt.safeParse(Reflect.get(spec, 'adopt')).data ?? {};
  const id = spelled === undefined ? undefined : serviceID(spelled);
  if (id !== undefined) return { ...target(`id ${id}`, (row) => row.id === id), given: { id } };
  if (name !== undefined) return { ...target(`name ${name}`, (row) => row.name === name), given: { name } };
  if (match === undefined) return undefined;
  const wanted = Object.entries(match).map(([field, value]) => [wordOf(field), value] as const);
  const text = wanted.map(([field, value]) => `${field} ${value}`).join(', ');
  const like = match['name'] ?? '*';
  return target(
    text,
    (row) => wanted.every(([field, value]) => hasValue(row, field, value)),
    (claim) => isLike(claim.name, like.split('*')),
  );
});

function target(text: string, isMet: AdoptedTarget['isMet'], isStated = isMet): AdoptedTarget {
  return { text, isMet, isStated };
}

/** Undefined: the spec asks for no adoption. */
export function adoptedTarget({ spec }: Pick<RawResource, 'spec'>): AdoptedTarget | undefined {
  return typeof spec === 'object' && spec !== null ? targets(spec) : undefined;
}

/** `pluginName` is `plugin_name` there. */
export function wordOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function hasValue(row: ListedObject, field: string, wanted: string): boolean {
  const value: unknown = Reflect.get(row, field);
  if (typeof value !== 'string') return false;
  return field === 'name' ? isLike(value, wanted.split('*')) : value === wanted;
}

/** Whether the name consists of these parts with anything between them. Takes no longer than the name for any pattern. */
function isLike(name: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  const end = name.length - last.length;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/**
 * Whether a claim on an adopted object can be right: the spec states it, or, once the spec states nothing any more, the copy of the ledger in
 * the status, which users cannot write, has it.
 */
export function isAdopted(resource: RawResource, claim: Pick<Claim, 'collection' | 'name' | 'id' | 'origin'>): boolean {
  const { origin, id, name } = claim;
  if (origin !== 'adopted' || id === undefined) return false;
  return isConfirmed(resource, claim) || (adoptedTarget(resource)?.isStated({ id, name }) ?? false);
}

/** The copy of the ledger in the status has the claim, too. */
export function isConfirmed(resource: RawResource, claim: Pick<Claim, 'collection' | 'name' | 'id'>): boolean {
  return isMirrored(ledgerIn(mirrorText(resource)), claim);
}

/** What a resource stands for whose ledger records nothing, because its object is only observed or not adopted yet: according to its status. */
export function observedClaim({ spec, status }: Pick<RawResource, 'spec' | 'status'>): Claim | undefined {
  const { policy } = (spec ?? {}) as { readonly policy?: unknown };
  if (policy !== 'Observe' && adoptedTarget({ spec }) === undefined) return undefined;
  const { id, externalName: name = id, revision: hash } = (status ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return { role: 'main', collection: '', name, id, ...(typeof hash === 'string' && { hash }) };
}
