// The ledger: what we may have made in the service, kept as one annotation. Parsed, read and serialised here, as values.
import { z } from 'zod';
import { memoize } from '../../../lib/memoize.ts';

const attempts = z.looseObject({
  /** POSTs that may still take effect. */
  open: z.int().min(0),
  /** Wall-clock time of the newest POST's intent, ISO 8601: the quarantine counts from here. */
  lastSentAt: z.string(),
  /** When the service last answered a POST with a refusal. */
  refusedAt: z.string().optional(),
});

const claim = z.looseObject({
  /** main: what the resource stands for. revision: another content of it, one in the making or a former one. */
  role: z.enum(['main', 'revision', 'private']),
  /** The route that the object belongs to. */
  collection: z.string(),
  /** The pinned external name; it never changes. */
  name: z.string(),
  id: z.string().optional(),
  /** Content hash of a content-named object. */
  hash: z.string().optional(),
  origin: z.enum(['adopted', 'preexisting']).optional(),
  attempts: attempts.optional(),
});

const group = z.looseObject({ name: z.string(), count: z.int(), nodeGroupTemplateId: z.string().optional() });

// Loose objects: fields that this version does not know are written back as they came.
const ledger = z.looseObject({
  v: z.literal(1),
  installation: z.string(),
  uid: z.string(),
  endpoint: z.string(),
  tenant: z.string(),
  base: z.string(),
  /** Whom the ledger was written for before, where it was restored or taken over: pinned names derive from these, too. */
  previousOwners: z.array(z.looseObject({ uid: z.string(), installation: z.string() })).optional(),
  claims: z.array(claim),
  /** The template's groups when the cluster was created, without the cluster's own entries. */
  baseline: z.array(group).optional(),
  /** For each group that we created or added: the reference it was made from. */
  madeFrom: z.record(z.string(), z.string()).optional(),
  /** Content hash of the template that the object was made from; it stays so when the template is edited. */
  templateRevision: z.string().optional(),
  /** Digests of the config maps as they were sent, by path in spec: CEL cannot see an edit of these. */
  configs: z.record(z.string(), z.string()).optional(),
  change: z
    .looseObject({
      generation: z.int(),
      target: z.record(z.string(), z.int()),
      /** Wall-clock time of the newest intent, ISO 8601. */
      sentAt: z.string(),
      /** The number of the newest try. */
      tries: z.int(),
      /** How often this try was announced before without anybody knowing whether it was sent. */
      doubts: z.int().min(0).optional(),
    })
    .optional(),
});

export type Ledger = z.output<typeof ledger>;
export type Claim = z.output<typeof claim>;
export type CreateAttempts = z.output<typeof attempts>;
export type Baseline = NonNullable<Ledger['baseline']>;

/** What a ledger claims, and where. */
export type Claims = Pick<Ledger, 'endpoint' | 'tenant' | 'claims'>;

/** Whose ledger we expect: the object's uid and this installation. */
export interface Owner {
  readonly uid: string;
  readonly installation: string;
  /** The installation whose ledger the user lets us take over. */
  readonly takeOver?: string | undefined;
}

export type LedgerState =
  | { readonly state: 'none' }
  | { readonly state: 'ours'; readonly ledger: Ledger }
  /** Written for another object: restored from a backup, moved, or copied from one that is still there. */
  | { readonly state: 'moved'; readonly ledger: Ledger; readonly vouched: boolean }
  /** `installation`: who wrote it, where that is the trouble. */
  | { readonly state: 'unconfirmed'; readonly why: string; readonly installation?: string };

/** The annotation counts; its mirror in status stands in when the annotation was lost. */
export function readLedger(annotation: string | undefined, mirror: string | undefined, owner: Owner): LedgerState {
  const text = annotation ?? mirror;
  if (text === undefined) return { state: 'none' };
  const parsed = parseLedger(text);
  if (typeof parsed === 'string') return { state: 'unconfirmed', why: parsed };
  const { installation, uid } = parsed;
  const vouched = installation === owner.takeOver;
  if (installation !== owner.installation && !vouched)
    return { state: 'unconfirmed', why: `it was written by another installation (${installation})`, installation };
  if (installation === owner.installation && uid === owner.uid) return { state: 'ours', ledger: parsed };
  return { state: 'moved', ledger: parsed, vouched };
}

/** The ledger that a text holds, whosever it is; undefined: none that can be read. */
export function ledgerIn(text: string | undefined): Ledger | undefined {
  const parsed = text === undefined ? undefined : parseLedger(text);
  return typeof parsed === 'object' ? parsed : undefined;
}

/** Longer ones are rare, and may be a user's: what was read of them is not kept. */
const longestRemembered = 8_192;

/** The ledger, or why the text is none. Most versions of a resource have the text in common with the one before. */
function parseLedger(text: string): Ledger | string {
  return text.length > longestRemembered ? readText(text) : lately(text);
}

const lately = memoize(readText);

/** A ledger of ours has fewer in each field. Of more, each wrong one would take an error of its own to tell. */
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

export function newLedger(owner: Owner, pins: Pins): Ledger {
  return { v: 1, installation: owner.installation, uid: owner.uid, ...pins, claims: [] };
}

/** What the resource stands for now: neither another content in the making while something is there, nor a former one. */
// Ledgers of earlier versions call the only object of a template a revision.
export function currentClaim(value: Ledger | undefined): Claim | undefined {
  const claims = value?.claims.filter((one) => one.role !== 'private') ?? [];
  return (
    claims.findLast(({ role }) => role === 'main') ?? claims.findLast(({ id }) => id !== undefined) ?? claims.at(-1)
  );
}

/** The templates that prove whose a fixed name is. */
export function privateClaims(ledger: Ledger | undefined): readonly Claim[] {
  return ledger?.claims.filter((one) => one.role === 'private') ?? [];
}

export function openAttempts(one: Claim | undefined): number {
  return one?.attempts?.open ?? 0;
}

/** True when no object was ever found for the claim and none can come any more by itself. */
export function isVoid(one: Claim): boolean {
  return one.id === undefined && openAttempts(one) === 0;
}

/** The service answered a create with a refusal, and nothing was ever recorded. */
export function isRefused(one: Claim): boolean {
  return one.id === undefined && one.attempts?.refusedAt !== undefined;
}
