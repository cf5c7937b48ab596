// What all cells of a run share: the API server, the services, the two links before them, and an operator for the cells that kill none.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPrograms, type Programs } from '../../../dev/demo/programs.ts';
import { proxyKubeconfig } from '../../../dev/plane/keys/kubeconfig.ts';
import type { Store } from '../../../src/service/model/store/store.ts';
import { type ApiServer, connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { applyCrds } from '../../support/kubernetes/crds.ts';
import { readKubeconfig } from '../../support/kubernetes/kubeconfig.ts';
import { kubernetesCell, serviceCell } from '../tables/cell-of.ts';
import type { ServiceName } from '../tables/steps.ts';
import { type Account, openAccount } from './account.ts';
import { Link, type Listener } from './link.ts';
import { Mirror } from './mirror.ts';
import { plainToken, type Remotes, startRemotes } from './remotes.ts';
import { Shift } from './shift.ts';
import { freshToken } from './user.ts';

export interface StandOptions {
  readonly kubeconfig: string;
  /** Loaded before each operator besides its clock: a module that breaks it. */
  readonly planted?: string;
}

/** Whom the links tell of the writes of a cell, and where it is. */
export interface Lodger extends Listener {
  readonly service: ServiceName;
}

export const installation = 'tests';
const kubeconfigName = 'kubeconfig';
const leaseFlags = '--leader-elect --lease-duration 80s --lease-renew-deadline 60s --lease-retry-period 8s'.split(' ');

export class Stand implements AsyncDisposable {
  readonly api: ApiServer;
  readonly mirror: Mirror;
  readonly namespace: string;
  /** Of the service, as the operator is told. */
  readonly endpoint: string;
  /** Of no single cell: writes that are in no table, requests that were forbidden, operators that ended although nobody had asked them to. */
  readonly wrong: string[];
  readonly #options: StandOptions;
  readonly #remotes: Remotes;
  readonly #links: readonly Link[];
  readonly #programs: Programs;
  readonly #account: Account;
  readonly #folder: string;
  readonly #cells: Map<string, Lodger>;
  #shared: Shift | undefined;
  #lastCell = 0;

  private constructor(parts: {
    readonly options: StandOptions;
    readonly api: ApiServer;
    readonly namespace: string;
    readonly remotes: Remotes;
    readonly links: readonly [kubernetes: Link, service: Link];
    readonly programs: Programs;
    readonly account: Account;
    readonly folder: string;
    readonly cells: Map<string, Lodger>;
    readonly wrong: string[];
  }) {
    this.#options = parts.options;
    this.api = parts.api;
    this.namespace = parts.namespace;
    this.mirror = new Mirror(parts.api, parts.namespace);
    this.endpoint = parts.links[1].url;
    this.wrong = parts.wrong;
    this.#remotes = parts.remotes;
    this.#links = parts.links;
    this.#programs = parts.programs;
    this.#account = parts.account;
    this.#folder = parts.folder;
    this.#cells = parts.cells;
  }

  static async open(options: StandOptions): Promise<Stand> {
    await applyCrds(options.kubeconfig);
    const api = await connect(options.kubeconfig);
    const namespace = await createNamespace(api, `faults-${randomBytes(4).toString('hex')}`);
    const remotes = await startRemotes();
    const cells = new Map<string, Lodger>();
    const wrong: string[] = [];
    const account = await openAccount(options.kubeconfig);
    const every = { listener: (cell: string) => cells.get(cell), wrong: (what: string) => void wrong.push(what) };
    const { server, ca } = await readKubeconfig(options.kubeconfig);
    const kubernetes = await Link.open({
      ...every,
      side: 'kubernetes',
      agent: new Agent({ keepAlive: true, ca }),
      authorization: account.authorization,
      upstream: () => server,
      cellOf: kubernetesCell,
    });
    const service = await Link.open({
      ...every,
      side: 'service',
      upstream: (cell) => remotes[cells.get(cell)?.service ?? 'prompt'].server.url,
      cellOf: serviceCell,
    });
    const folder = await mkdtemp(join(tmpdir(), 'faults-'));
    await writeFile(join(folder, kubeconfigName), proxyKubeconfig(kubernetes.url));
    const programs = await openPrograms(folder, (name, how) => void wrong.push(`${name} ended with ${how}`));
    const links = [kubernetes, service] as const;
    return new Stand({ options, api, namespace, remotes, links, programs, account, folder, cells, wrong });
  }

  /** A new name, for an object of each kind and a tenant. */
  register(lodger: Lodger): string {
    this.#lastCell += 1;
    const cell = `c${this.#lastCell}`;
    this.#cells.set(cell, lodger);
    return cell;
  }

  store(service: ServiceName): Store {
    return this.#remotes[service].store;
  }

  /** The operator of all cells that have none of their own; resolves when it works. */
  async share(): Promise<void> {
    if (this.#shared === undefined) {
      this.#shared = this.shift(this.namespace);
      this.#shared.start();
    }
    await this.#shared.running();
  }

  /** Makes the namespace of a cell with an operator of its own. */
  async makeNamespace(cell: string, elects: boolean): Promise<string> {
    const namespace = await createNamespace(this.api, `${this.namespace}-${cell}`);
    if (elects) await this.#account.permitLease(namespace);
    return namespace;
  }

  /** What is wrong so far with all cells together; a secret in a log is, too. */
  async amiss(): Promise<readonly string[]> {
    const files = (await readdir(this.#folder)).filter((file) => file.endsWith('.log'));
    const texts = await Promise.all(files.map(async (file) => readFile(join(this.#folder, file), 'utf8')));
    const leaks = texts.filter((text) => [plainToken, freshToken].some((secret) => text.includes(secret)));
    return [...this.wrong, ...leaks.map(() => 'I11: a secret is in the log of an operator')];
  }

  /** For an operator of one namespace, which is not started yet. */
  shift(namespace: string, elects = false): Shift {
    const lease = elects ? [...leaseFlags, '--lease-namespace', namespace] : [];
    const flags = [
      '--kubeconfig',
      join(this.#folder, kubeconfigName),
      '--namespaces',
      namespace,
      '--installation',
      'tests',
    ];
    const { planted } = this.#options;
    return new Shift({
      programs: this.#programs,
      flags: [...flags, '--quarantine', '40s', '--shutdown-timeout', '100s', ...lease],
      loaded: [...(planted === undefined ? [] : [planted]), join(import.meta.dirname, 'clock.ts')],
      // Nobody else would take the lease of a dead one before its time.
      between: async () => {
        const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/dataprocessing-operator`;
        if (elects) await this.api.send({ method: 'DELETE', path });
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#programs.close();
    await this.mirror[Symbol.asyncDispose]();
    for (const link of this.#links) await link[Symbol.asyncDispose]();
    for (const { server } of Object.values(this.#remotes)) await server.close();
    await this.api.close();
  }
}
