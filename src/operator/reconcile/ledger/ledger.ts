// The ledger: what the operator may have made in the service, kept as one annotation. Parsed, read and serialized here.
import { z } from 'zod';
import { memoize } from '../../../lib/memoize.ts';

const attempts = z.looseObject({
  /** POSTs that may still take effect. */
  open: z.int().min(0),
  /** Wall-clock time of the last POST's intent, ISO 8601: the quarantine starts here. */
  lastSentAt: z.string(),
  /** The process that wrote that intent: it alone knows whether the POST was sent. */
  by: z.string().optional(),
  /** When the service last refused a POST. */
  refusedAt: z.string().optional(),
});

const claim = z.looseObject({
  /** main: what the resource stands for. revision: other content, either being created or former. private: what an object refers to and nobody else's does, such as the template that an object of a fixed name is started from. */
  role: z.enum(['main', 'revision', 'private']),
  /** The route of the object. */
  collection: z.string(),
  /** The pinned external name; it never changes. */
  name: z.string(),
  id: z.string().optional(),
  /** Content hash of a content-named object. */
  hash: z.string().optional(),
  origin: z.enum(['adopted', 'preexisting']).optional(),
  /** Why the operator cancels the run. */
  stopped: z.enum(['cancel', 'deadline', 'suspend']).optional(),
  attempts: attempts.optional(),
});

const group = z.looseObject({ name: z.string(), count: z.int(), nodeGroupTemplateId: z.string().optional() });

// Loose objects: fields that this version does not know are written back unchanged.
const ledger = z.looseObject({
  v: z.literal(1),
  installation: z.string(),
  uid: z.string(),
  endpoint: z.string(),
  tenant: z.string(),
  base: z.string(),
  /** Former owners of a ledger that was restored or taken over: pinned names derive from these, too. */
  previousOwners: z.array(z.looseObject({ uid: z.string(), installation: z.string() })).optional(),
  claims: z.array(claim),
  /** The groups that came from the template when the cluster was created, without those of the cluster itself. */
  baseline: z.array(group).optional(),
  /** For each group that the operator created or added: the reference that it was made from. */
  madeFrom: z.record(z.string(), z.string()).optional(),
  /** Content hash of the template that the object was made from; a later edit of the template does not change it. */
  templateRevision: z.string().optional(),
  /** Digests of the config maps that were sent, by path in spec: CEL cannot compare these. */
  configs: z.record(z.string(), z.string()).optional(),
  /** How many approved plans were carried out, or made way for another request: a plan that comes again has another hash. */
  plans: z.int().min(0).optional(),
  /** The hash that was acted on last: used up once more than so many plans were carried out, and a deletion's at once. It may stay in its annotation. */
  approval: z.looseObject({ hash: z.string(), plans: z.int().min(0).optional() }).optional(),
  /** It went by itself, while its resource stays: `of` is the digest of the lifecycle that asked for that, and `id` the object's. */
  expired: z.looseObject({ at: z.string(), reason: z.string(), of: z.string(), id: z.string().optional() }).optional(),
  /** The id of the object that was adopted: the spec asks for nothing more. */
  adopted: z.string().optional(),
  /** The first change since that was told and is carried out: later ones are not told before. */
  changed: z.boolean().optional(),
  /** The object that went last, in place of which another one was asked for. */
  renewedFrom: z.string().optional(),
  change: z
    .looseObject({
      generation: z.int(),
      target: z.record(z.string(), z.int()),
      /** Wall-clock time of the last intent, ISO 8601. */
      sentAt: z.string(),
      /** The number of the last try. */
      tries: z.int(),
      /** How often this try was announced without anyone knowing whether it was sent. */
      doubts: z.int().min(0).optional(),
      /** Its approved plan is counted in `plans`, because the plan of another request waits. */
      counted: z.boolean().optional(),
    })
    .optional(),
});

export type Ledger = z.output<typeof ledger>;
export type Claim = z.output<typeof claim>;
export type CreateAttempts = z.output<typeof attempts>;
export type Baseline = NonNullable<Ledger['baseline']>;

/** What a ledger claims, and where. */
export type Claims = Pick<Ledger, 'endpoint' | 'tenant' | 'claims'>;

/** The owner that a ledger must name: the object's uid and this installation. */
export interface Owner {
  readonly uid: string;
  readonly installation: string;
  /** The installation whose ledger the user allows this one to take over. */
  readonly takeOver?: string | undefined;
}

export type LedgerState =
  | { readonly state: 'none' }
  | { readonly state: 'ours'; readonly ledger: Ledger }
  /** Written for another object: restored from a backup, moved, or copied from one that still exists. */
  | { readonly state: 'moved'; readonly ledger: Ledger; readonly vouched: boolean }
  /** `installation`: who wrote it, where that is the reason. */
  | { readonly state: 'unconfirmed'; readonly why: string; readonly installation?: string };

/** The ledger that this installation wrote: for the resource itself, or for the one that it was restored or copied from. */
export function recordedLedger(state: LedgerState): Ledger | undefined {
  return state.state === 'ours' || state.state === 'moved' ? state.ledger : undefined;
}

/** The annotation counts; its mirror in status stands in when the annotation is lost. */
export function readLedger(annotation: string | undefined, mirror: string | undefined, owner: Owner): LedgerState {
  const text = annotation ?? mirror;
  if (text === undefined) return { state: 'none' };
  const parsed = parseLedger(text);
  if (typeof parsed === 'string') return { state: 'unconfirmed', why: parsed };
  const { installation, uid } = parsed;
  const vouched = installation === owner.takeOver;
  if (installation !== owner.installation && !vouched)
    return { state: 'unconfirmed', why: `it was written by another installation (${installation})`, installation };
  if (installation === owner.installation && uid === owner.uid)
    return { state: 'ours', ledger: mirror === text ? parsed : withPlansOf(parsed, ledgerIn(mirror)) };
  return { state: 'moved', ledger: parsed, vouched };
}

/** Not fewer plans than the copy in status counts, which users cannot write: fewer would make the hash of an approval valid that was used. */
function withPlansOf(value: Ledger, copy: Ledger | undefined): Ledger {
  const { plans, uid, installation } = copy ?? {};
  if (plans === undefined || uid !== value.uid || installation !== value.installation) return value;
  return plans > (value.plans ?? -1) ? { ...value, plans } : value;
}

/** The ledger in a text, whoever owns it; undefined: it cannot be read. */
export function ledgerIn(text: string | undefined): Ledger | undefined {
  const parsed = text === undefined ? undefined : parseLedger(text);
  return typeof parsed === 'object' ? parsed : undefined;
}

/** The copy of the ledger in status, which users cannot write. */
export function mirrorText({ status }: { readonly status?: unknown }): string | undefined {
  const mirror = (status as { ledger?: unknown } | null | undefined)?.ledger;
  return typeof mirror === 'string' ? mirror : undefined;
}

/** Both are about the same object, as far as a name tells. */
export function isSameClaim(
  one: Pick<Claim, 'collection' | 'name'>,
  other: Pick<Claim, 'collection' | 'name'>,
): boolean {
  return one.collection === other.collection && one.name === other.name;
}

/** Whether the copy of the ledger in status has the object of the claim, too. */
export function isMirrored(
  mirror: { readonly claims: readonly Pick<Claim, 'collection' | 'name' | 'id'>[] } | undefined,
  { collection, name, id }: Pick<Claim, 'collection' | 'name' | 'id'>,
): boolean {
  return mirror?.claims.some((one) => one.collection === collection && one.name === name && one.id === id) ?? false;
}

/** Longer texts are rare and may be forged: they are not cached. */
const longestRemembered = 8_192;

/** The ledger, or why the text is not one. Cached, because most versions of a resource share the text with the one before. */
function parseLedger(text: string): Ledger | string {
  return text.length > longestRemembered ? readText(text) : lately(text);
}

const lately = memoize(readText);

/** The operator writes fewer entries in each field. Beyond that, each invalid entry would add an error message. */
const mostEntries = 1_000;

function crowdedField(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const fields = json as Readonly<Record<string, unknown>>;
  return Object.keys(ledger.shape).find((name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value !== 'object' || value === null) return false;
    return (Array.isArray(value) ? value.length : Object.keys(value).length) > mostEntries;
  });
}

function readText(text: string): Ledger | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const v = (json as { v?: unknown } | null)?.v;
  if (typeof v === 'number' && v > 1) return `it has version ${v}, and this version of the operator reads 1`;
  const crowded = crowdedField(json);
  if (crowded !== undefined) return `its field ${crowded} has more than ${mostEntries} entries`;
  const { data, error } = ledger.safeParse(json);
  return data ?? `its field ${error?.issues[0]?.path.join('.') || '(root)'} cannot be read`;
}

export function serialiseLedger(value: Ledger): string {
  return JSON.stringify(value);
}

export interface Pins {
  readonly endpoint: string;
  readonly tenant: string;
  readonly base: string;
}

/** Where a service is: its tenant, and every endpoint that it has or had. */
export interface Place {
  readonly endpoints: readonly string[];
  readonly tenant: string;
}

/** What the ledger names was made at this service. */
export function isMadeAt({ endpoint, tenant }: Pick<Ledger, 'endpoint' | 'tenant'>, place: Place): boolean {
  return tenant === place.tenant && place.endpoints.includes(endpoint);
}

export function newLedger(owner: Owner, pins: Pins): Ledger {
  return { v: 1, installation: owner.installation, uid: owner.uid, ...pins, claims: [] };
}

/** What the resource stands for now: not a revision that is being created while another object exists, and not a former one. */
// Earlier versions of the ledger call the only object of a template a revision.
export function currentClaim(value: Ledger | undefined): Claim | undefined {
  const claims = value?.claims.filter((one) => one.role !== 'private') ?? [];
  return (
    claims.findLast(({ role }) => role === 'main') ?? claims.findLast(({ id }) => id !== undefined) ?? claims.at(-1)
  );
}

/** The private objects: templates that prove who owns a fixed name, or the bytes of files. */
export function privateClaims(ledger: Ledger | undefined): readonly Claim[] {
  return ledger?.claims.filter((one) => one.role === 'private') ?? [];
}

export function openAttempts(one: Claim | undefined): number {
  return one?.attempts?.open ?? 0;
}

/** No object was ever found for the claim, and none can appear any more. */
export function isVoid(one: Claim): boolean {
  return one.id === undefined && openAttempts(one) === 0;
}

/** The service refused a create, and no object was ever recorded. */
export function isRefused(one: Claim): boolean {
  return one.id === undefined && one.attempts?.refusedAt !== undefined;
}
