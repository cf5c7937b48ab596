// What must hold in every state and at every step, by the numbers of the protocol.

import { memoize } from '../../src/lib/memoize.ts';
import {
  type Claim,
  currentClaim,
  isRefused,
  type Ledger,
  openAttempts,
} from '../../src/operator/reconcile/ledger/ledger.ts';
import { revisionOf } from '../../src/operator/reconcile/ledger/naming.ts';
import { wantedHash } from '../../src/operator/reconcile/resource/content-hash.ts';
import type { ResourceFacts } from '../../src/operator/reconcile/resource/facts.ts';
import { wall } from '../operator/reconcile/support.ts';
import { belongs, reowned, repinned, unannounced, wentBack } from '../support/invariants.ts';
import { existingId, isExisting } from './model/adoption.ts';
import { factsOf, newest } from './model/api-server.ts';
import { isOthers } from './model/forgers.ts';
import type { Busy } from './model/passes.ts';
import { flightOf } from './model/replicas.ts';
import { countsOf, ownerOf, rowsOf } from './model/service.ts';
import { countWanted, setterOf } from './model/setter.ts';
import type { Rules, World } from './model/world.ts';
import { forbidden, isAdopted } from './restraints.ts';

/** What is broken in this state; undefined: nothing. */
export function brokenIn(rules: Rules, world: World): string | undefined {
  if (world.forged) return undefined;
  const rows = rowsOf(rules, world).filter((row) => !isOthers(row.id) && !world.freed.includes(ownerOf(row.id)));
  const sent = postsOf(rules, world).filter(({ uid }) => !world.freed.includes(uid));
  const missing = missingIn(rules, world);
  if (missing !== undefined) return missing;
  if (rows.length === 0 && sent.length === 0) return undefined;
  const facts = factsOf(rules, newest(world));
  const uid = facts?.resource.metadata.uid;
  const ledger = facts?.ledger.state === 'ours' ? facts.ledger.ledger : undefined;
  for (const { id, name, status, of } of rows) {
    const others = rows.filter((row) => row.id !== id && row.of === of && ownerOf(row.id) === ownerOf(id));
    if (rules.kind.identity === 'once' && others.some((row) => row.name === name))
      return `I15: ${id} is one of two runs of the attempt ${name}`;
    const isLater = (one: string) => attemptIn(name) > attemptIn(one);
    if (rules.kind.identity === 'once' && !mayRepeat(facts) && world.vanished.some(isLater))
      return `I15: ${id} is there, although ${world.vanished.join()} may have succeeded`;
    if (rules.kind.identity === 'named' && of === undefined && others.length > 0)
      return `I1: ${id} is one of two objects of ${ownerOf(id)}`;
    if (ownerOf(id) !== uid) return `I7: ${id} is left, and its resource is gone`;
    if (!facts?.hasFinalizer) return `I7: ${id} is there, and the resource has no finalizer`;
    if (!belongs({ id, name, failed: status === 'Error' }, ledger?.claims ?? [], rows))
      return `I2: ${id} belongs to no claim and to no open attempt`;
  }
  return postsBroken(sent, uid, ledger);
}

/** Markers end with the number of the attempt. */
const attemptIn = (marker: string): number => Number(/\d+$/.exec(marker)?.[0]);

/** What somebody refers to, or would refer to by the ledger. A twin of the recorded object may cost that one, where two replicas lead. */
function missingIn(rules: Rules, world: World): string | undefined {
  const has = (id: string) => rowsOf(rules, world).some((row) => row.id === id);
  const { made } = world.referrer;
  if (made !== undefined && !has(made)) return `R: ${made} is missing, and something refers to it`;
  const facts = factsOf(rules, newest(world));
  if (rules.kind.identity !== 'content' || rules.vanishing || world.replicas.length > 1) return undefined;
  if (!facts || facts.deleting || facts.ledger.state !== 'ours') return undefined;
  const id = currentClaim(facts.ledger.ledger)?.id;
  return id === undefined || has(id) ? undefined : `R: ${id} is missing, which is the current revision`;
}

function postsBroken(
  sent: readonly { readonly uid: string; readonly post: string }[],
  uid: string | undefined,
  ledger: Ledger | undefined,
): string | undefined {
  for (const { uid: of, post } of sent) {
    if (of !== uid) return `I7: a POST of ${post} may still take effect, and its resource is gone`;
    const many = sent.filter((other) => other.post === post).length;
    const broken = unannounced(
      post,
      many,
      ledger?.claims.find((one) => one.name === post),
    );
    if (broken !== undefined) return `I5: ${broken}`;
  }
  return undefined;
}

function postsOf(rules: Rules, { flights, replicas }: World) {
  const sent = replicas.flatMap((replica) => flightOf(rules, replica) ?? []);
  return [...flights, ...sent].filter((flight) => 'post' in flight);
}

/** A replica makes a request; what it breaks by that. */
export function brokenBy(
  rules: Rules,
  world: World,
  busy: Busy,
): { readonly world: World; readonly broken?: string | undefined } {
  const { call } = busy;
  const mine = factsOf(rules, busy.version);
  if (!mine) return { world, broken: 'I13: a write without a resource' };
  const { uid } = mine.resource.metadata;
  const held = forbidden(rules, world, busy, mine);
  if (held !== undefined) return { world, broken: held };
  switch (call.call) {
    case 'post': {
      const now = factsOf(rules, newest(world));
      if (now?.resource.metadata.uid !== uid) return { world, broken: 'I13: a POST without the resource' };
      if (rules.kind.identity === 'once' && world.asked.includes(call.body.name))
        return { world, broken: `I15: a second POST of the attempt ${call.body.name}` };
      if (rules.kind.identity === 'once' && isInDoubt(rules, world, mine))
        return {
          world,
          broken: `I15: a POST of ${call.body.name}, while another run may be in progress or have succeeded`,
        };
      return { world, broken: now.hasFinalizer ? undefined : 'I7: a POST before the finalizer' };
    }
    case 'put': {
      if (!isOwn(mine, call.id)) return { world, broken: `I3: PUT of ${call.id}` };
      const change = mine.ledger.state === 'ours' ? mine.ledger.ledger.change : undefined;
      const generation = change?.generation ?? 0;
      if (generation < world.changed && !world.forged)
        return { world, broken: `I10: PUT of generation ${generation} after ${world.changed}` };
      return {
        world: {
          ...world,
          changed: generation,
          target: targetOf(change),
          puts: isOfLast(world, change) ? world.puts : 0,
        },
        broken: miscounted(rules, world, busy),
      };
    }
    case 'delete':
      if (!isOwn(mine, call.id)) return { world, broken: `I3: DELETE of ${call.id}` };
      if (world.referrer.made === call.id && !mine.deleting)
        return { world, broken: `R: DELETE of ${call.id}, which something refers to` };
      return {
        world,
        broken:
          mine.deleting ||
          isSpare(rules, world, mine, call.id) ||
          isTwin(rules, mine, call.id) ||
          isLeft(rules, world, mine, call.id)
            ? undefined
            : `I4: DELETE of ${call.id}, which nobody asked for`,
      };
    case 'claim':
      return {
        world,
        broken:
          rewritten(rules, mine.ledger.state === 'ours' ? mine.ledger.ledger : undefined, call.ledger) ??
          overcounted(world, call.ledger),
      };
    case 'status':
      return { world, broken: world.forged ? undefined : misreported(rules, world, busy) };
    default:
      return { world };
  }
}

/** Made for the resource, or adopted by it. */
const isOwn = (mine: ResourceFacts, id: string): boolean =>
  ownerOf(id) === mine.resource.metadata.uid || (isExisting(id) && isAdopted(mine));

/** The count that a NodeGroup with the finalizer sets now, or else that of the Cluster. */
function miscounted(rules: Rules, world: World, { call, version }: Busy): string | undefined {
  const cluster = rules.tables.versions.at(version);
  if (call.call !== 'put' || cluster === null) return undefined;
  const { worker: sent } = countsOf(call.body);
  const wanted = countWanted(setterOf(rules, world).resource, cluster);
  return sent === undefined || sent === wanted ? undefined : `I17: PUT of ${sent} nodes instead of ${wanted}`;
}

/** Its job may run twice. */
const mayRepeat = (facts: ResourceFacts | undefined): boolean =>
  (facts?.resource.spec as { readonly onUnknown?: string } | undefined)?.onUnknown === 'Retry';

/** Some attempt was not refused, and did not fail either: it has no row, or one that runs or succeeded. */
function isInDoubt(rules: Rules, world: World, facts: ResourceFacts): boolean {
  const { ledger } = facts;
  if (ledger.state !== 'ours') return world.asked.length > 0;
  const rows = rowsOf(rules, world);
  // Where the job may run twice, an attempt is in doubt only as long as it may still take effect.
  const isOpen = (one: Claim): boolean => openAttempts(one) > 0 && !(mayRepeat(facts) && isTooOld(rules, world, one));
  const open = ledger.ledger.claims.filter((one) => one !== currentClaim(ledger.ledger) && isOpen(one));
  const { flights } = world;
  return (
    open.length > 0 ||
    flights.some((one) => 'post' in one) ||
    rows.some(({ id, info }) => !isOthers(id) && info?.status !== 'FAILED')
  );
}

const isTooOld = ({ quarantineMs }: Rules, { elapsed }: World, { attempts }: Claim): boolean =>
  Date.parse(attempts?.lastSentAt ?? '') + quarantineMs <= wall + elapsed;

/** Another object of the recorded one's name. That the recorded one goes just then cannot be prevented. */
function isTwin({ kind }: Rules, { ledger }: ResourceFacts, id: string): boolean {
  const recorded = ledger.state === 'ours' ? currentClaim(ledger.ledger)?.id : undefined;
  return kind.identity === 'content' && recorded !== undefined && recorded !== id;
}

/** A private template that the object was not started from. */
function isSpare(rules: Rules, world: World, { ledger }: ResourceFacts, id: string): boolean {
  if (ledger.state !== 'ours' || currentClaim(ledger.ledger)?.id === undefined) return false;
  const { claims } = ledger.ledger;
  const rows = rowsOf(rules, world);
  const name = rows.find((row) => row.id === id)?.name;
  const used = rows.some((row) => row.cluster_template_id === id);
  return !used && claims.some((one) => one.role === 'private' && (one.id === id || one.name === name));
}

/** A row that a refused create left. */
function isLeft(rules: Rules, world: World, { ledger }: ResourceFacts, id: string): boolean {
  const refused = ledger.state === 'ours' && ledger.ledger.claims.some(isRefused);
  return refused && rowsOf(rules, world).every((row) => row.id !== id || row.status === 'Error');
}

/** The same text comes again in many worlds. */
const ledgerIn = memoize((text: string): Ledger => JSON.parse(text) as Ledger);

function rewritten({ kind }: Rules, before: Ledger | undefined, text: string): string | undefined {
  if (!before) return undefined;
  const after = ledgerIn(text);
  const broken = repinned(before, after) ?? reowned(before, after);
  if (broken !== undefined) return `I6: ${broken}`;
  const [one, other] = [currentClaim(before)?.name, currentClaim(after)?.name];
  const renamed = one !== undefined && other !== undefined && one !== other;
  return kind.identity === 'named' && renamed ? `I6: the name ${one} becomes ${other}` : undefined;
}

const targetOf = (change: Ledger['change']): string => JSON.stringify(change?.target ?? {});

/** The change is the last one that was sent: of the same generation, or of one that leads to the same, as while a NodeGroup sets the count. */
const isOfLast = ({ changed, target }: World, change: Ledger['change']): boolean =>
  (change?.generation ?? 0) <= changed || targetOf(change) === target;

/** A try counts as one without effect only when its request was sent. */
function overcounted(world: World, text: string): string | undefined {
  const { changed, puts, forged } = world;
  const { change } = ledgerIn(text);
  if (!change || change.generation < changed || forged) return undefined;
  const sent = isOfLast(world, change) ? puts : 0;
  return change.tries - 1 > sent ? `T: try ${change.tries} of a change, of which ${sent} were sent` : undefined;
}

function misreported(rules: Rules, world: World, busy: Busy): string | undefined {
  if (busy.call.call !== 'status') return undefined;
  const facts = factsOf(rules, busy.version);
  const { observedGeneration, conditions } = busy.call.status as {
    readonly observedGeneration: number;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
  if (!facts) return undefined;
  const back = wentBack(facts.observedGeneration, observedGeneration);
  if (back !== undefined) return `I9: observedGeneration ${back}`;
  const says = (type: string) => conditions.some((one) => one.type === type && one.status === 'True');
  if (says('Failed') && busy.version === newest(world) && isInDoubt(rules, world, facts))
    return 'I15: Failed, while a run may be in progress or have succeeded';
  const ready = says('Ready');
  if (!ready || (facts.ended?.reason === 'Succeeded' && rules.kind.identity === 'once')) return undefined;
  const observed = facts.policy === 'Observe' ? existingId : undefined;
  const id = facts.ledger.state === 'ours' ? currentClaim(facts.ledger.ledger)?.id : observed;
  const row = busy.seen === undefined ? undefined : rules.tables.rows.at(busy.seen).find((one) => one.id === id);
  if (observedGeneration !== facts.generation || !row) return 'I8: Ready without having seen it';
  if (rules.kind.identity === 'once' && row.info?.status !== 'SUCCEEDED') return 'I8: Ready with a run that goes on';
  // How an observed object differs is told elsewhere.
  if (facts.policy === 'Observe') return undefined;
  const hash = wantedHash({ kind: rules.kind, facts, resolutions: [] });
  const isWanted = isExisting(row.id)
    ? row.flavor_id === Reflect.get(facts.resource.spec as object, 'flavorID')
    : hash === revisionOf(row.name);
  if (hash !== undefined && !isWanted) return `I8: Ready with the content of ${row.name}`;
  const { nodeGroups } = facts.resource.spec as {
    readonly nodeGroups?: readonly { readonly name: string; readonly count: number }[];
  };
  const { resource: setter } = rules.tables.setters.at(busy.start.setter);
  const worker = countWanted(setter, facts.resource);
  const wanted = nodeGroups?.map((group) => (group.name === 'worker' ? { ...group, count: worker ?? 0 } : group));
  const asked = JSON.stringify(countsOf({ node_groups: wanted ?? [] }));
  const has = JSON.stringify(countsOf({ node_groups: row.node_groups ?? [] }));
  return nodeGroups && asked !== has ? `I8: Ready with ${has} instead of ${asked}` : undefined;
}
