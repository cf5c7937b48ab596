// Whether the Connections work, for the operator and for the user.
import { messageOf } from '../../lib/errors.ts';
import { sharedConnectionKind } from '../../operator/api/shared-api.ts';
import { apiPrefix } from '../../wire/dialect.ts';
import { jsonOf } from '../bounded-json.ts';
import { type ConnectionName, conditionIn, type Observed, standingIn } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { openService } from '../service/service-source.ts';
import { flagFor } from '../why/remedies.ts';
import { skewFinding } from './clocks.ts';
import type { Finding } from './finding.ts';
import type { SharedConnections } from './shared-connections.ts';

const area = 'Connections';
const idleMs = 5_000;
const mostConnections = 10;

/** How it is named, for people and for the service. */
function nameOf({ kind, metadata: { name } }: Observed): ConnectionName {
  return { kind: kind === sharedConnectionKind ? sharedConnectionKind : 'Connection', name };
}

/** Of those of the namespace, and of those that its objects share with others. */
export function stateFindings(
  connections: readonly Observed[],
  { unread, missing }: Pick<SharedConnections, 'unread' | 'missing'>,
  namespace: string,
): readonly Finding[] {
  if (connections.length + unread.length + missing.length === 0)
    return [{ area, level: 'note', text: `there are none in namespace ${namespace}` }];
  return [...connections.map(stateFinding), ...unread];
}

export function stateFinding(connection: Observed): Finding {
  const { kind, metadata } = connection;
  const name = `${kind} ${metadata.name}`;
  const { message = '', reason = 'Pending' } = conditionIn(connection, 'Ready') ?? {};
  if (standingIn(connection) === 'ready') return { area, level: 'ok', text: `${name}: ${message}` };
  return {
    area,
    level: 'wrong',
    text: `${name} is not ready (${reason}): ${message}`,
    todo: `kubectl dataprocessing why ${kind.toLowerCase()}/${metadata.name}${flagFor(metadata)}`,
  };
}

/** Asks the services themselves, with the rights of the user. That it cannot reach one from here says nothing about the operator. */
export async function askServices(
  reach: Reach,
  connections: readonly Observed[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const asked = connections.slice(0, mostConnections).map((one) => askService(reach, nameOf(one), signal));
  return (await Promise.all(asked)).flat();
}

async function askService(reach: Reach, name: ConnectionName, signal: AbortSignal): Promise<readonly Finding[]> {
  const what = `${name.kind} ${name.name}`;
  const { clock } = reach.transport;
  try {
    const service = await openService(reach, name);
    const path = `/${apiPrefix(service.dialect)}/${encodeURIComponent(service.tenant)}/plugins`;
    const sent = clock.wall();
    const { status, date } = await jsonOf(await service.get(path, { signal, idleMs }));
    const skew = skewFinding(`the service of ${what}`, date, { sent, got: clock.wall() });
    if (status === 200) return [{ area, level: 'ok', text: `${what}: the service answers you, too` }, ...skew];
    return [{ area, level: 'note', text: `${what}: the service answers you with ${status}` }, ...skew];
  } catch (error) {
    signal.throwIfAborted();
    return [{ area, level: 'note', text: `${what}: you cannot ask the service from here: ${messageOf(error)}` }];
  }
}
