// What a preview needs of the outside: the objects that were read, the services that are asked, and nothing that could be written to.
import type { RawResource } from '../../kube/resource.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import { kinds } from '../../operator/kinds/index.ts';
import { ClaimIndex } from '../../operator/reconcile/ownership/claim-index.ts';
import { keyOf, type PassPorts } from '../../operator/reconcile/pass-ports.ts';
import type { AskedServices } from './asked-services.ts';
import type { SeenObjects } from './seen-objects.ts';

/** As the operator has it by default. */
const quarantineMs = 15 * 60_000;
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** By name. */
export const kindsByName: PassPorts['kinds'] = new Map(kinds.map((kind) => [kind.definition.kind, kind]));

export interface PreviewWorld {
  readonly store: SeenObjects;
  readonly services: AskedServices;
  readonly installation: string;
  readonly seesAll: boolean;
  readonly clock: Clock;
}

export function previewPorts({ store, services, ...world }: PreviewWorld): PassPorts {
  const claims = new ClaimIndex(world.installation);
  const index = (current: RawResource): void => void claims.changed({ key: keyOf(current), current });
  for (const name of kindsByName.keys()) for (const one of store.list(name)) index(one);
  // Of two objects of the file, only one can adopt the same object of the service.
  store.onClaim(index);
  const places = <L extends Parameters<PassPorts['claimants']>[0]>(ledger: L): readonly L[] =>
    services.aliasesOf(ledger).map((endpoint) => ({ ...ledger, endpoint }));
  return {
    ...world,
    store,
    services,
    kinds: kindsByName,
    process: 'preview',
    quarantineMs,
    log: silent,
    events: { emit: () => undefined },
    leadership: { leading: () => false },
    claimants: (ledger) => places(ledger).flatMap((one) => claims.claimants(one)),
    claimantsOfId: claims.claimantsOfId.bind(claims),
    rivals: (ledger) => places(ledger).flatMap((one) => claims.rivals(one)),
    holder: (resource, ledger, counts) =>
      claims.holder(resource, ledger, { counts, endpoints: services.aliasesOf(ledger) }),
    isNamed: claims.isNamed.bind(claims),
    massDeletion: async () => undefined,
    mayExpire: () => true,
  };
}
