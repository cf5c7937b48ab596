// What a service has, and what of it belongs to resources: the reads of `orphans` and `import`.
import { installationMark } from '../../lib/generated-name.ts';
import { customKinds } from '../kind-names.ts';
import type { ConnectionName, Observed } from '../observed.ts';
import type { Reach } from '../reach.ts';
import { readAll } from '../read-all.ts';
import { type Claimed, claimedBy } from './claims.ts';
import { type ReadCollection, readCollection, type ServiceCollection } from './collections.ts';
import { openService, type ServiceSource } from './service-source.ts';

export interface ServiceInventory {
  readonly source: ServiceSource;
  readonly read: readonly ReadCollection[];
  readonly claimed: Claimed;
  readonly ownMarks: ReadonlySet<string>;
  /** Why something may be missing, or may belong to a resource after all. */
  readonly problems: readonly string[];
}

interface Wish {
  readonly connection: ConnectionName;
  readonly collections: readonly ServiceCollection[];
  readonly signal: AbortSignal;
}

/** Rejects if the Connection or its Secret cannot be read. */
export async function readInventory(
  reach: Reach,
  { connection, collections, signal }: Wish,
): Promise<ServiceInventory> {
  const source = await openService(reach, connection);
  const patience = { clock: reach.transport.clock, signal };
  const [read, resources, own] = await Promise.all([
    Promise.all(collections.map((one) => readCollection(source, one, patience))),
    readResources(reach),
    ownInstallation(reach),
  ]);
  const { endpoint, formerEndpoints = [], tenant } = source;
  const { namespace } = reach.objects;
  const claimed = claimedBy(resources.objects, {
    connection,
    namespace,
    endpoints: [endpoint, ...formerEndpoints],
    tenant,
  });
  const problems = [...new Set(read.flatMap(({ problem }) => problem ?? [])), ...resources.problems];
  return { source, read, claimed, ownMarks: new Set([...claimed.marks, ...own]), problems };
}

/** Of all namespaces if the user may, and of this one otherwise. */
async function readResources({ objects }: Reach) {
  const read = await Promise.all(
    customKinds.map(async (kind) => {
      const ofAll = await readAll(objects, kind, true).catch(() => undefined);
      return { list: ofAll ?? (await readAll(objects, kind, false)), isWhole: ofAll !== undefined };
    }),
  );
  const unseen = read.filter(({ isWhole }) => !isWhole);
  const cut = read.filter(({ list }) => list.isPartial);
  return {
    objects: read.flatMap(({ list }): readonly Observed[] => list.items.map((one) => ({ ...one, kind: list.kind }))),
    problems: [
      ...(unseen.length === 0
        ? []
        : [
            `you may not list the resources of other namespaces, to which some of these may belong: ask for "list" there`,
          ]),
      ...cut.map(({ list }) => `there are more resources of kind ${list.kind} than are read`),
    ],
  };
}

/** The operator is named after this namespace, unless a flag names it. Without the right to read it, the ledgers tell. */
async function ownInstallation({ transport }: Reach): Promise<readonly string[]> {
  try {
    const found = (await transport.request({ method: 'GET', path: '/api/v1/namespaces/kube-system' })) as Observed;
    return found.metadata.uid === undefined ? [] : [installationMark(found.metadata.uid)];
  } catch {
    return [];
  }
}
