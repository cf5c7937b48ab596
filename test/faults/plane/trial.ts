// One cell on the real API server: the operator that is its own or shared, what passes the links for it, and the sweeping up.

import { limitMs } from '../../support/patience.ts';
import { isAlone } from '../tables/cells.ts';
import type { Workload } from '../tables/steps.ts';
import { Ambush, type Trouble } from '../trial/ambush.ts';
import { play, type Result } from '../trial/course.ts';
import type { Scene } from '../trial/scene.ts';
import { pathOf, type Seen, until } from './mirror.ts';
import { pace } from './pace.ts';
import { plainToken } from './remotes.ts';
import type { Shift } from './shift.ts';
import { installation, type Stand } from './stand.ts';

/** Looks at the clusters of the service without a write that pass for a steady state. */
const quietLooks = 2;
const mostLooks = 20;

export class Trial {
  readonly #stand: Stand;
  readonly #workload: Workload;
  readonly #ambush: Ambush;
  readonly #scene: Scene;
  readonly #cell: string;
  #namespace: string;
  /** Of this cell alone; the shared one without it. */
  #shift: Shift | undefined;

  constructor(stand: Stand, workload: Workload, trouble?: Trouble) {
    this.#stand = stand;
    this.#workload = workload;
    this.#namespace = stand.namespace;
    const ambush = new Ambush({ trouble, scene: () => this.#scene, token: plainToken });
    this.#ambush = ambush;
    this.#cell = stand.register({
      service: workload.service,
      admits: (token) => ambush.admits(token),
      wrote: (exchange) => ambush.wrote(exchange, async () => this.#shift?.kill()),
      answered: (exchange, reply) => ambush.answered(exchange, reply),
      looked: (side, path) => ambush.looked(side, path),
    });
    this.#scene = this.#createScene();
  }

  /** Throws with what is wrong. Ends with the picture of the reference, where there is one. */
  async run(reference?: Result): Promise<Result> {
    try {
      await this.#open();
      return await play(this.#scene, this.#workload, this.#ambush, reference);
    } finally {
      this.#ambush.close();
      await this.#shift?.end();
      await this.#sweep();
    }
  }

  async #open(): Promise<void> {
    const { elects = false } = this.#workload;
    const { trouble } = this.#ambush;
    const alone = trouble === undefined ? elects : isAlone({ ...trouble, workload: this.#workload });
    if (!alone) return this.#stand.share();
    this.#namespace = await this.#stand.makeNamespace(this.#cell, elects);
    this.#shift = this.#stand.shift(this.#namespace, elects);
    // Its start may be what goes wrong.
    if (elects) this.#ambush.arm();
    this.#shift.start();
    await this.#shift.running();
  }

  /** Everything of the cell goes at once, whatever anybody still wants with it. */
  async #sweep(): Promise<void> {
    const { api, mirror } = this.#stand;
    for (const { kind, metadata } of mirror.of(this.#cell)) {
      const path = pathOf(kind, metadata.namespace, metadata.name);
      await api.send({ method: 'DELETE', path });
      await api.send({ method: 'PATCH', path, body: { metadata: { finalizers: [] } } });
    }
  }

  #createScene(): Scene {
    const { mirror, endpoint } = this.#stand;
    const cell = this.#cell;
    const get = (kind: string, name: string) => mirror.get(kind, this.#namespace, name);
    const send = this.#send.bind(this);
    return {
      cell,
      namespace: this.#namespace,
      endpoint,
      token: plainToken,
      installation,
      store: this.#stand.store(this.#workload.service),
      now: () => performance.now() * pace,
      objects: () => mirror.of(cell),
      get,
      async apply(kind, name, object) {
        const { metadata } = (await send('apply', kind, name, object)) as Seen;
        const version = Number(metadata.resourceVersion);
        // What comes after this must not look at an older one.
        const seen = () => Number(get(kind, name)?.metadata.resourceVersion ?? 0) >= version;
        await until(() => (seen() ? undefined : `${kind} ${name} was not seen`), limitMs);
      },
      annotate: async (kind, name, annotations) =>
        void (await send('PATCH', kind, name, { metadata: { annotations } })),
      remove: async (kind, name) => void (await send('DELETE', kind, name)),
      until: (missing, how) => until(missing, limitMs, how),
      running: async () => this.#shift?.running(),
      handOver: async () => this.#shift?.handOver(),
      rest: () => this.#rest(),
    };
  }

  async #send(how: 'apply' | 'PATCH' | 'DELETE', kind: string, name: string, body?: object): Promise<unknown> {
    const { api } = this.#stand;
    const path = pathOf(kind, this.#namespace, name);
    const answer = await (how === 'apply'
      ? api.apply(path, body)
      : api.send({ method: how, path, ...(body === undefined ? {} : { body }) }));
    if (answer.status < 300) return answer.body;
    throw new Error(`cannot ${how} ${kind} ${name}: ${JSON.stringify(answer.body)}`);
  }

  /** Before long nothing is written any more, however often the clusters of the service are looked at; what is gone is looked at no more. */
  async #rest(): Promise<void> {
    const { tally } = this.#ambush;
    const { store } = this.#scene;
    const list = `/v1.0/${this.#cell}/clusters`;
    const hasClusters = () => store.list('clusters', this.#cell).length > 0;
    for (let looks = 0, quiet = 0; quiet < quietLooks && hasClusters(); looks += 1) {
      if (looks > mostLooks) throw new Error(`it goes on writing: ${JSON.stringify(tally.counts())}`);
      const { writes } = tally;
      const before = tally.looks(list);
      await until(() => (tally.looks(list) > before ? undefined : 'the clusters are not looked at any more'), limitMs);
      quiet = tally.writes === writes ? quiet + 1 : 0;
    }
  }
}
