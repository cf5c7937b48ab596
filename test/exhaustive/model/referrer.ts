// Somebody who refers to the template: plans its create, announces it, sends it unless the template moved on, is there, and goes.
//
// It is a ClusterTemplate of the process whose passes are checked, so that it knows of the template what that process knows.
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { clusterTemplateKind } from '../../../src/operator/kinds/cluster-template/index.ts';
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import { leadElsewhere, type Resolved } from '../../../src/operator/reconcile/resource/references.ts';
import { resolve } from '../../../src/operator/reconcile/resource/resolve.ts';
import { routes } from '../../../src/wire/routes.ts';
import { attempts, claimOf, installation, iso, ledgerOf, resourceOf, wall } from '../../operator/reconcile/support.ts';
import { factsOf, newest } from './api-server.ts';
import type { Move } from './moves.ts';
import { rowsOf } from './service.ts';
import type { Row } from './tables.ts';
import { type Rules, spend, type World } from './world.ts';

export const referringKind = clusterTemplateKind;

export interface Referrer {
  /** The create that it is at: of which revision, how far, and since when its ledger shows it. */
  readonly open?: Open;
  /** The revision that its object was made from. */
  readonly made?: string;
}

type Open =
  | { readonly id: string; readonly request: 'planned' }
  | { readonly id: string; readonly request: 'announced' | 'sent' | 'ended'; readonly since: number };

export const nobody: Referrer = {};

const uid = 'referrer';
const spec = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [{ name: 'worker', count: 1, nodeGroupTemplateRef: { name: 'etl' } }],
};

/** As the caches of the process have it. */
export function resourceWith({ open, made }: Referrer): RawResource {
  const since = open && open.request !== 'planned' ? open.since : undefined;
  const claim = claimOf({
    collection: routes[referringKind.route].path,
    name: 'referrer',
    ...(made === undefined ? {} : { id: 'referrer-1' }),
    ...(since === undefined ? {} : attempts(1, iso(wall + since))),
  });
  const metadata = { uid, name: 'referrer' };
  return resourceOf({
    kind: referringKind,
    spec,
    metadata,
    ledger: ledgerOf(since === undefined && made === undefined ? [] : [claim], { uid }),
  });
}

/** Its object in the service. */
export function rowsWith({ made }: Referrer): readonly Row[] {
  if (made === undefined) return [];
  const group = { name: 'worker', count: 1, node_group_template_id: made };
  return [{ id: 'referrer-1', name: 'referrer', status: 'Active', node_groups: [group] }];
}

export function referrerMoves(rules: Rules, world: World): readonly Move[] {
  const { open, made } = world.referrer;
  if (open) return openMoves(rules, world, open);
  if (made !== undefined) return [{ label: `what refers to ${made} goes`, world: { ...world, referrer: nobody } }];
  if (world.left.referrals === 0) return [];
  return known(rules, world).flatMap((found): Move[] => {
    if (found === undefined) return [];
    const planned = { id: found.id, request: 'planned' } as const;
    const after = { ...spend(world, 'referrals'), referrer: { open: planned } };
    return [{ label: `somebody plans a create that refers to ${found.id}`, world: after }];
  });
}

function openMoves(rules: Rules, world: World, open: Open): readonly Move[] {
  const { id } = open;
  const to = (label: string, referrer: Referrer): Move => ({ label, world: { ...world, referrer } });
  switch (open.request) {
    case 'planned': {
      const announced = { id, request: 'announced', since: world.elapsed } as const;
      return [to(`the create that refers to ${id} is announced`, { open: announced })];
    }
    case 'announced': {
      const inTime = open.since === world.elapsed;
      const sent = inTime && known(rules, world).some((found) => !isOutrun(id, found));
      if (!sent) return [to(`the create that refers to ${id} is not sent`, nobody)];
      return [to(`the create that refers to ${id} is sent`, { open: { ...open, request: 'sent' } })];
    }
    case 'sent': {
      const lost = spend({ ...world, referrer: { open: { ...open, request: 'ended' } } }, 'losses');
      const never = { label: `the create that refers to ${id} never takes effect`, world: lost };
      return [landed(rules, world, open), ...(world.left.losses > 0 ? [never] : [])];
    }
    case 'ended': {
      const { open: _answered, ...rest } = world.referrer;
      return [to(`the create that refers to ${id} is answered`, rest)];
    }
  }
}

/** Its request takes effect. A service does not take one that names what it does not have, and the user may delete the template. */
function landed(rules: Rules, world: World, open: Exclude<Open, { request: 'planned' }>): Move {
  const { id } = open;
  const there = rowsOf(rules, world).some((row) => row.id === id);
  const facts = factsOf(rules, newest(world));
  const ended = { ...open, request: 'ended' } as const;
  const referrer = there ? { open: ended, made: id } : { open: ended };
  const broken = there || !facts || facts.deleting ? undefined : `R: a create refers to ${id}, which is missing`;
  return { label: `the create that refers to ${id} takes effect`, world: { ...world, referrer }, broken };
}

/** What the reference leads to, by each version of the template that a process may know by now. */
function known({ kind, tables }: Rules, { versions, replicas }: World): readonly (Resolved | undefined)[] {
  const lag = Math.max(...replicas.map((replica) => replica.lag));
  return versions.slice(-lag - 1).map((version) => resolvedBy(kind, tables.versions.at(version)));
}

const referring = resourceWith(nobody);

function resolvedBy(kind: Kind, template: RawResource | null): Resolved | undefined {
  const kinds = new Map([[kind.definition.kind, kind]]);
  const [found] = resolve(
    { store: { read: () => template ?? undefined, list: () => [] }, kinds, installation },
    referringKind,
    referring,
  );
  return found?.state === 'resolved' ? found : undefined;
}

function isOutrun(id: string, now: Resolved | undefined): boolean {
  return now === undefined || leadElsewhere([{ ...now, id }], [now]);
}
