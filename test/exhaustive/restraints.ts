// What a user, an administrator or somebody else's object forbids: none of these requests may be sent.
import { currentClaim, type Ledger } from '../../src/operator/reconcile/ledger/ledger.ts';
import type { ResourceFacts } from '../../src/operator/reconcile/resource/facts.ts';
import { existingId, isAdopting, isExisting } from './model/adoption.ts';
import { factsOf } from './model/api-server.ts';
import type { Busy, Call } from './model/passes.ts';
import { isApproved } from './model/policies.ts';
import { isSelected } from './model/selection.ts';
import { rowsOf } from './model/service.ts';
import type { Rules, World } from './model/world.ts';

type Asking = { readonly call: Call; readonly mine: ResourceFacts };

/** What a user or an administrator sets, as text. */
export const restraintsOf = ({ policy, isSuspended, approvedPlan, resource }: ResourceFacts): string =>
  [policy, isSuspended, approvedPlan, isSelected(resource)].join(' ');

/** What the request of a replica breaks: by the version of the resource that its pass knows, and by what its cache has of restraints when it asks. */
export function forbidden(rules: Rules, world: World, busy: Busy, mine: ResourceFacts): string | undefined {
  const { call, cached } = busy;
  const asking = { call, mine };
  if (call.call === 'claim') return overclaimed(rules, asking);
  if (call.call !== 'post' && call.call !== 'put' && call.call !== 'delete') return undefined;
  const now = (cached === undefined ? undefined : factsOf(rules, cached)) ?? mine;
  if ([mine, now].some(({ policy }) => policy === 'Observe')) return `I19: ${call.call} of what is only observed`;
  const broken = existingBroken(rules, world, asking);
  if (broken !== undefined || mine.deleting) return broken;
  return heldBack(rules, world, asking) ?? (now.deleting ? undefined : heldBack(rules, world, { call, mine: now }));
}

function heldBack(rules: Rules, world: World, { call, mine }: Asking): string | undefined {
  if (mine.isSuspended) return `I18: ${call.call} of what is suspended`;
  if (!isSelected(mine.resource)) return `I21: ${call.call} of what is in a namespace that is not selected`;
  return mine.policy === 'Plan' && !isApproved(rules, world, mine, call)
    ? `I20: ${call.call} of what nobody approved, or once more`
    : undefined;
}

/** An object that was there first is changed once it is adopted, deleted where the user says so, and none is made beside it. */
function existingBroken(rules: Rules, world: World, { call, mine }: Asking): string | undefined {
  if (!isAdopting(rules)) return undefined;
  switch (call.call) {
    case 'put':
      return isExisting(call.id) && !isAdopted(mine) ? `I3: PUT of ${call.id}, which is not adopted` : undefined;
    case 'delete': {
      const isAsked = mine.deleting && mine.deletionPolicy === 'Delete' && isAdopted(mine);
      return isExisting(call.id) && !isAsked ? `I4: DELETE of ${call.id}, which was there first` : undefined;
    }
    case 'post':
      return isNeeded(rules, world, call.body, mine)
        ? undefined
        : `I1: POST of ${call.body.name} beside ${existingId}, which is adopted`;
    default:
      return undefined;
  }
}

const ledgerOf = ({ ledger }: ResourceFacts): Ledger | undefined =>
  ledger.state === 'ours' ? ledger.ledger : undefined;

export const isAdopted = (mine: ResourceFacts): boolean =>
  ledgerOf(mine)?.claims.some(({ id, origin }) => id === existingId && origin === 'adopted') ?? false;

/** Of other content, or because somebody deleted the one that was adopted. */
function isNeeded(rules: Rules, world: World, body: object, mine: ResourceFacts): boolean {
  if (ledgerOf(mine)?.adopted !== existingId) return false;
  const existing = rowsOf(rules, world).find(({ id }) => id === existingId);
  return !existing || (rules.kind.identity === 'content' && Reflect.get(body, 'flavor_id') !== existing.flavor_id);
}

/** Nothing is recorded of what was only ever observed, nor of what somebody else has. */
function overclaimed({ hostile }: Rules, { call, mine }: Asking): string | undefined {
  if (mine.policy === 'Observe' && !mine.hasFinalizer && mine.ledger.state === 'none')
    return 'I19: what is only observed gets a ledger';
  const claimed = call.call === 'claim' ? currentClaim(JSON.parse(call.ledger) as Ledger)?.id : undefined;
  return hostile === 'rival' && claimed === existingId ? `I3: ${existingId} gets a second owner` : undefined;
}
