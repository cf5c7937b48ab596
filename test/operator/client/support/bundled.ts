// The bundled service and the adapter in front of it, with a plugin to work with.
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { createService, type Service } from '../../../../src/operator/client/service-client.ts';
import { fixedToken } from '../../../../src/operator/client/service-credentials.ts';
import type { Permit } from '../../../../src/operator/client/throttle/budget.ts';
import { parseGrant } from '../../../../src/service/api/authentication/authentication.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { capabilities, type Dialect } from '../../../../src/wire/dialect.ts';
import { prefixOf } from '../../../../src/wire/routes.ts';

export const token = 'token-of-tenant-one';
export const image = 'd1b5b1a0-4bb5-4d1c-9f0e-0a6a5b8f2c11';

export interface World {
  readonly service: Service;
  readonly plugin: { readonly plugin_name: string; readonly bigdata_version: string };
  readonly processes: readonly string[];
  /** One write, with a permit of its own. */
  readonly write: <T>(send: (permit: Permit) => Promise<T>) => Promise<T>;
}

export async function world(dialect: Dialect, sent = token): Promise<World> {
  const random = createSeededRandom(3);
  const server = createServer({ clock: systemClock, random, dialect, grants: [parseGrant(`${token}=one`)] });
  onTestFinished(() => server.close());
  const endpoint = `${await server.start()}/`;
  const service = createService({
    endpoint,
    tenant: 'one',
    dialect,
    credentials: fixedToken(sent),
    clock: systemClock,
    timeoutMs: 5000,
    limits: { requestsPerSecond: 20, burst: 1e6, maxInFlight: 10 },
  });
  onTestFinished(() => service.close());
  const write: World['write'] = async (send) => {
    const permit = await service.budget.take({ user: 'test', withinMs: 1000 });
    if (permit === undefined) throw new Error('no permit');
    return send(permit).finally(() => permit.release());
  };
  if (sent !== token) return { service, write, plugin: { plugin_name: '', bigdata_version: '' }, processes: [] };
  const [first] = await service.plugins();
  const [name, version] = [first?.name ?? '', first?.versions?.[0] ?? ''];
  const url = `${endpoint}${prefixOf(dialect, 'plugins')}/one/plugins/${name}/${version}`;
  const answer = await fetch(url, { headers: { 'x-auth-token': token } });
  const { plugin } = (await answer.json()) as { plugin: { node_processes: Record<string, readonly string[]> } };
  const processes = Object.values(plugin.node_processes).flat();
  return { service, write, plugin: { plugin_name: name, bigdata_version: version }, processes };
}

/** A cluster of two machines, as the dialect wants it. */
export function startBody({ plugin, processes, service }: World, name: string) {
  const group = { name: 'workers', count: 2, flavor_id: '2', node_processes: processes.slice(0, 1) };
  const network = capabilities(service.dialect).startNetwork ? { network_management_network: image } : {};
  return { ...plugin, ...network, name, default_image_id: image, user_keypair_id: 'keys', node_groups: [group] };
}
