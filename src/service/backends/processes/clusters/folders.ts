// Where machines live: one folder for each cluster, and one in it for each machine. What is needed after a restart is in files.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineNode } from '../../../engines/engine.ts';
import { foldersIn, writeSafely } from '../../../model/disk/atomic-files.ts';
import type { ClusterRecord, Machine } from '../../../model/records/records.ts';

interface ClusterFile {
  /** Stands for the network of its machines: see `networkOf`. */
  readonly number: number;
  readonly secret: string;
}

/**
 * Every machine has an address of its own, so the usual ports are always free: 127.B.C.N, where B is from 16 to 77. Each cluster has its own B and C. Several
 * services on a computer choose theirs by themselves: it takes many networks that two of them, at the same moment, do not choose the same.
 */
const seconds = { first: 16, last: 77 };
const most = { machines: 254, clusters: 254 * (seconds.last - seconds.first + 1) };

/** From 1 on: the first 254 are 127.77.C, the next ones 127.76.C. */
const networkOf = (number: number): string =>
  `127.${seconds.last - Math.floor((number - 1) / 254)}.${((number - 1) % 254) + 1}`;
const numberOf = (second: number, third: number): number => (seconds.last - second) * 254 + third;

export class Folders {
  readonly #root: string;
  readonly #createSecret: () => string;

  /** `createSecret`: random text without spaces. */
  constructor(root: string, createSecret: () => string) {
    this.#root = root;
    this.#createSecret = createSecret;
  }

  cluster(id: string): string {
    return join(this.#root, id);
  }

  machine(cluster: string, machine: string): string {
    return join(this.#root, cluster, machine);
  }

  /** The identifiers of the machines of a cluster. */
  list(cluster: string): readonly string[] {
    return foldersIn(this.cluster(cluster)).filter((id) => existsSync(this.#machineFile(cluster, id)));
  }

  /** Makes the folder of a machine, if it is missing, and gives it an address. */
  make({ id }: ClusterRecord, { instance_id }: Machine): string {
    const known = this.address(id, instance_id);
    if (known !== undefined) return known;
    const { number } = this.#makeCluster(id);
    const taken = this.list(id).map((each) => Number(this.address(id, each)?.split('.')[3]));
    const address = `${networkOf(number)}.${firstFree(taken, most.machines, `machines of cluster ${id}`)}`;
    writeSafely(this.#machineFile(id, instance_id), JSON.stringify({ address }));
    return address;
  }

  /** Undefined if there is no such machine. */
  address(cluster: string, machine: string): string | undefined {
    return readJson<{ readonly address: string }>(this.#machineFile(cluster, machine))?.address;
  }

  /** The machines of the cluster that are up. */
  nodes(cluster: ClusterRecord): readonly EngineNode[] {
    const secret = this.secret(cluster.id);
    return cluster.node_groups.flatMap((group) =>
      group.instances.flatMap((machine) => {
        const address = this.address(cluster.id, machine.instance_id);
        const folder = this.machine(cluster.id, machine.instance_id);
        return address === undefined
          ? []
          : [{ cluster, group, machine, processes: group.node_processes, address, folder, secret }];
      }),
    );
  }

  /** Empty if the cluster has no machines. */
  secret(cluster: string): string {
    return readJson<ClusterFile>(join(this.cluster(cluster), 'cluster.json'))?.secret ?? '';
  }

  /** The folder of the cluster goes with its last machine. */
  remove(cluster: string, machine: string): void {
    rmSync(this.machine(cluster, machine), { recursive: true, force: true });
    if (foldersIn(this.cluster(cluster)).length === 0) rmSync(this.cluster(cluster), { recursive: true, force: true });
  }

  #makeCluster(id: string): ClusterFile {
    const file = join(this.cluster(id), 'cluster.json');
    const known = readJson<ClusterFile>(file);
    if (known !== undefined) return known;
    const taken = foldersIn(this.#root).map(
      (each) => readJson<ClusterFile>(join(this.cluster(each), 'cluster.json'))?.number ?? 0,
    );
    // Another service can use the same range, and start a cluster at this moment: each search begins elsewhere.
    const start = createHash('sha256').update(this.cluster(id)).digest().readUInt32BE();
    const number = firstFree([...taken, ...numbersInUse()], most.clusters, 'clusters', start);
    const made = { number, secret: this.#createSecret() };
    writeSafely(file, JSON.stringify(made));
    return made;
  }

  #machineFile(cluster: string, machine: string): string {
    return join(this.machine(cluster, machine), 'machine.json');
  }
}

/** From 1 to `most`. The search begins `start` numbers after the first one. */
function firstFree(taken: readonly number[], most: number, what: string, start = 0): number {
  for (let tries = 0; tries < most; tries += 1) {
    const number = ((start + tries) % most) + 1;
    if (!taken.includes(number)) return number;
  }
  throw new Error(`there are ${most} ${what} on this computer already: delete some`);
}

/** The numbers of the networks at which some process listens. The kernel writes addresses backwards, in hexadecimal. */
function numbersInUse(): readonly number[] {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter(existsSync).map((file) => readFileSync(file, 'utf8'));
  return tables.flatMap((table) =>
    [...table.matchAll(/([0-9A-F]{2})([0-9A-F]{2})7F:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4} 0A /g)].map(
      ([, third = '0', second = '0']) => numberOf(Number.parseInt(second, 16), Number.parseInt(third, 16)),
    ),
  );
}

function readJson<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}
