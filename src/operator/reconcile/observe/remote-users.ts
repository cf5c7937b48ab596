// Which objects of the service refer to an object that cannot be deleted because of them, and who owns these.
import { ServiceError } from '../../../wire/errors/service-error.ts';
import { routes } from '../../../wire/routes.ts';
import { collectionOf, type Kind, type ObjectKind, type RemoteObject } from '../kind/kind.ts';
import type { RemoteUser } from '../outcome.ts';
import { ownerOf } from '../ownership/claimants.ts';
import type { PassState } from '../pass-state.ts';

/** Lists of this age will do, in ms: what uses an object changes rarely. */
const listAgeMs = 30_000;

/** As far as the lists can be read: they only explain the refusal of the service. */
export async function remoteUsersOf(pass: PassState, of: ObjectKind, id: string): Promise<readonly RemoteUser[]> {
  const found: RemoteUser[] = [];
  try {
    for (const kind of pass.ports.kinds.values()) {
      if (!kind.referencesIn.routes.includes(of.route)) continue;
      for (const row of await rowsOf(pass, kind))
        if (kind.referencesIn.of(row).some((one) => one.route === of.route && one.id === id))
          found.push(userFrom(pass, kind, row));
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  return found;
}

async function rowsOf({ service, ports, context }: PassState, kind: Kind): Promise<readonly RemoteObject[]> {
  if (service.state !== 'usable') return [];
  const wanted = { notBefore: ports.clock.monotonic() - listAgeMs, signal: context.signal };
  return [...(await service.service.inventory.observe(routes[kind.route], wanted)).all()];
}

function userFrom(pass: PassState, kind: Kind, row: RemoteObject): RemoteUser {
  const { id, name } = row;
  const { service, ports, resource } = pass;
  const user = { kind: kind.definition.kind, id, name };
  // A resource may claim it at another address of the service.
  if (!ports.isNamed(collectionOf(kind), row)) return user;
  return { ...user, owner: ownerOf({ kind, service, ports, resource }, id) ?? 'another resource' };
}
