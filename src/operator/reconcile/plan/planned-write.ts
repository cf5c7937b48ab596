// A plan as users read and approve it: what is sent, and a hash that no other write has. PURE.
import { canonicalJson, digest } from '../ledger/naming.ts';
import type { PlannedWrite } from '../outcome.ts';
import { claimText } from '../ownership/ownership.ts';
import type { PlanInput } from '../plan-input.ts';
import { valuesOf } from '../resource/secret-values.ts';
import type { Plan } from './next-step.ts';

/** A plan that writes to the service while its resource stays. */
export type WritePlan = Extract<Plan, { action: 'create' | 'update' | 'delete-object' | 'collect' }>;

/** What the plan sends, without credentials. The status is cut to its bounds as a whole, so that nothing has to be cut here. */
export function plannedWrite(input: PlanInput, plan: WritePlan): PlannedWrite {
  const { sends, ...shown } = described(input, plan);
  const { facts, ledger, resolutions } = input;
  const { uid } = facts.resource.metadata;
  // Of Secrets, the digests, whose keys only those know who may read the Secrets.
  const secrets = resolutions.flatMap((one) =>
    one.state === 'resolved' && one.reference.kind === 'Secret' ? [one.hash] : [],
  );
  const identifying = { uid, generation: facts.generation, carriedOut: ledger?.plans ?? 0, ...shown, sends, secrets };
  return { hash: digest(canonicalJson(identifying), hashLength), ...shown };
}

/** 80 bits. */
const hashLength = 16;

/** `sends`: the whole request, as far as it is shown to anybody. */
function described(input: PlanInput, plan: WritePlan): Omit<PlannedWrite, 'hash'> & { readonly sends: unknown } {
  const { kind } = input;
  switch (plan.action) {
    case 'create': {
      const sends = withoutSecrets(input, plan.body) as Readonly<Record<string, unknown>>;
      const changes = Object.entries(sends).map(([path, value]) => ({ path, to: textOf(value) }));
      return { verb: 'Create', object: claimText(kind, plan.claim), destructive: false, changes, sends };
    }
    case 'update': {
      const { changes: sent, removes = false } = plan.next ?? { changes: plan.differs };
      const changes = sent.map(({ path, want, have }) => ({ path, from: have, to: want }));
      const isRun = kind.identity === 'once';
      const destructive = isRun || removes || sent.some(({ want, have }) => Number(want) < Number(have));
      const isScale = 'changeWords' in kind && kind.changeWords.to === 'scale';
      const verb = isRun ? 'Cancel' : isScale ? 'Scale' : 'Update';
      const object = `${claimText(kind, plan.claim)} (${plan.id})`;
      return { verb, object, destructive, changes, sends: withoutSecrets(input, plan.change) };
    }
    case 'delete-object':
      return { verb: 'Delete', object: plan.subject, destructive: true, sends: plan.id };
    case 'collect': {
      const sends = plan.claims.map(({ name, id = 'its id is not known' }) => `${name} (${id})`);
      return { verb: 'Delete', object: `old revisions: ${sends.join(', ')}`, destructive: true, sends };
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

/** Values of Secrets are shown to nobody, and the bytes of a file only by the digest in the name of its object. */
function withoutSecrets({ resolutions }: PlanInput, body: unknown): unknown {
  const values = resolutions.flatMap((one) =>
    one.state === 'resolved' && one.reference.kind === 'Secret' && one.reference.keys !== undefined
      ? Object.values(valuesOf(one.resource, one.reference.keys))
      : [],
  );
  const secret = new Set(values);
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return secret.has(value) ? '(secret)' : value;
    if (value instanceof Uint8Array) return '(file)';
    if (Array.isArray(value)) return value.map(hidden);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, hidden(field)]));
  };
  return hidden(body);
}
