// A plan as users read and approve it: what is sent, and a hash that no other write has. PURE.
import { createHash } from 'node:crypto';
import { collectionOf } from '../kind.ts';
import { canonicalJson } from '../ledger/naming.ts';
import type { PlannedWrite } from '../outcome.ts';
import { claimText, kindOf } from '../ownership/ownership.ts';
import type { PlanInput } from '../plan-input.ts';
import { valuesOf } from '../resource/secret-values.ts';
import type { Plan } from './next-step.ts';

/** A plan that writes to the service while its resource stays. */
export type WritePlan = Extract<Plan, { action: 'create' | 'update' | 'delete-object' | 'collect' }>;

/** What the plan sends, without credentials. */
export function plannedWrite(input: PlanInput, plan: WritePlan): PlannedWrite {
  const { verb, object, destructive, changes, sends } = described(input, plan);
  const { facts, ledger, resolutions } = input;
  const { uid } = facts.resource.metadata;
  // Of Secrets, the digests, whose keys only those know who may read the Secrets.
  const secrets = resolutions.flatMap((one) =>
    one.state === 'resolved' && one.reference.kind === 'Secret' ? [one.hash] : [],
  );
  const all = {
    uid,
    generation: facts.generation,
    carriedOut: ledger?.plans ?? 0,
    verb,
    object,
    changes,
    sends,
    secrets,
  };
  const hash = createHash('sha256').update(canonicalJson(all)).digest('hex').slice(0, hashLetters);
  return { hash, verb, object, destructive, ...(changes.length > 0 && { changes: changes.slice(0, mostChanges) }) };
}

/** 80 bits. */
const hashLetters = 20;
const mostChanges = 100;
const longestValue = 1_024;

interface Described extends Omit<PlannedWrite, 'hash' | 'changes'> {
  readonly changes: NonNullable<PlannedWrite['changes']>;
  /** Whatever else the request contains. */
  readonly sends: unknown;
}

function described(input: PlanInput, plan: WritePlan): Described {
  const { kind } = input;
  switch (plan.action) {
    case 'create': {
      const object = claimText(kind, plan.claim);
      const at = { verb: 'Create', object, destructive: false } as const;
      // The bytes of a file are identified by the digest in its name.
      if (kindOf(kind, plan.claim).identity === 'private' || plan.body instanceof Uint8Array)
        return { ...at, changes: [], sends: [collectionOf(kindOf(kind, plan.claim)), plan.claim.hash] };
      const body = withoutSecrets(input, plan.body) as Readonly<Record<string, unknown>>;
      const changes = Object.entries(body).map(([path, value]) => ({ path, to: textOf(value) }));
      return { ...at, changes, sends: body };
    }
    case 'update': {
      const changes = plan.differs.map(({ path, want, have }) => ({ path, from: have, to: want }));
      const destructive = plan.differs.some(({ want, have }) => Number(want) < Number(have));
      const verb = 'changeWords' in kind && kind.changeWords.to === 'scale' ? 'Scale' : 'Update';
      const object = `${claimText(kind, plan.claim)} (${plan.id})`;
      return { verb, object, destructive, changes, sends: withoutSecrets(input, plan.change) };
    }
    case 'delete-object':
      return { verb: 'Delete', object: plan.subject, destructive: true, changes: [], sends: plan.id };
    case 'collect': {
      const names = plan.claims.map((claim) => `${claim.name} (${claim.id ?? 'its id is not known'})`);
      const object = `old revisions: ${names.join(', ')}`.slice(0, longestValue);
      return {
        verb: 'Delete',
        object,
        destructive: true,
        changes: [],
        sends: plan.claims.map(({ name, id }) => [name, id]),
      };
    }
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : canonicalJson(value);
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text;
}

/** Values of Secrets are shown to nobody. */
function withoutSecrets({ resolutions }: PlanInput, body: unknown): unknown {
  const values = resolutions.flatMap((one) =>
    one.state === 'resolved' && one.reference.kind === 'Secret' && one.reference.keys !== undefined
      ? Object.values(valuesOf(one.resource, one.reference.keys))
      : [],
  );
  const secret = new Set(values);
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return secret.has(value) ? '(secret)' : value;
    if (Array.isArray(value)) return value.map(hidden);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, hidden(field)]));
  };
  return hidden(body);
}
