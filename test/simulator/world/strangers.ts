// What others do in the service behind the operator's back: they make, take and delete, and the service loses and finds again.
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import { foreignJob } from '../../support/service/runs.ts';
import { collectionOf, type Row } from '../judge/facts.ts';
import { referencesOf } from '../judge/references.ts';
import { type Deed, namespace, tenant, type UserDeed } from '../plan/plan.ts';
import type { World } from './world.ts';

type OthersDeed = Exclude<Deed, UserDeed>;

const node = { flavor_id: '4', node_processes: ['datanode'] } as const;
const vanilla = { plugin_name: 'vanilla', bigdata_version: '1.2.1' } as const;
const registeredImage = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
const allTags = ['vanilla', '1.2.1'];

export class Strangers {
  readonly #world: World;
  /** What they made, and how it was then. */
  readonly #made = new Map<
    string,
    { readonly kind: 'clusters' | 'nodeGroupTemplates'; readonly text: string | undefined }
  >();
  #lost: readonly Row[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get ids(): readonly string[] {
    return [...this.#made.keys()];
  }

  act(deed: OthersDeed): void {
    switch (deed.does) {
      case 'stranger':
        return this.#make('nodeGroupTemplates', {
          ...vanilla,
          ...node,
          name: `${deed.like}-by-hand-${this.#made.size}`,
        });
      case 'take name':
        return this.#make('clusters', {
          ...vanilla,
          name: deed.name,
          default_image_id: registeredImage,
          user_keypair_id: 'theirs',
          node_groups: [{ ...node, name: 'worker', count: 1 }],
        });
      case 'free name':
        return this.#free(deed.name);
      case 'register':
        return this.#register(deed.image);
      case 'vanish':
        return this.#vanish(deed.name);
      case 'bring job':
        return this.#world.service.store.put('jobs', tenant, foreignJob);
      case 'vanish run':
        return this.#vanishRun(deed.name);
      case 'stop run':
        return this.#stopRun(deed.name);
      case 'lose all':
        return this.#loseAll();
      case 'find all':
        return this.#findAll();
    }
  }

  /** Ids of what they made that is not as they left it. */
  touched(): readonly string[] {
    return [...this.#made].filter(([id, { kind, text }]) => this.#textOf(kind, id) !== text).map(([id]) => id);
  }

  /** Somebody else has a cluster of this name. */
  hasName(name: string): boolean {
    return this.#made.values().some(({ kind, text }) => kind === 'clusters' && text === name);
  }

  /** Of clusters, which live on by themselves, only that they are there. */
  #textOf(kind: 'clusters' | 'nodeGroupTemplates', id: string): string | undefined {
    const record = this.#world.service.store.get(kind, tenant, id);
    return kind === 'clusters' && record !== undefined ? record.name : JSON.stringify(record);
  }

  #make(
    kind: 'clusters' | 'nodeGroupTemplates',
    body: { readonly name: string; readonly [field: string]: unknown },
  ): void {
    const { status, body: text } = this.#ask('POST', collectionOf(kind), body);
    this.#world.trace(`stranger ${body.name} ${status}`);
    if (status >= 300) return;
    const [made] = Object.values(JSON.parse(text) as Record<string, { readonly id: string }>);
    if (made !== undefined) this.#made.set(made.id, { kind, text: this.#textOf(kind, made.id) });
  }

  #ask(method: string, path: string, body: object): { readonly status: number; readonly body: string } {
    const { service, facts } = this.#world;
    const request = { method, path: `/v1.0/${tenant}/${path}`, body: JSON.stringify(body) };
    return facts.ownership.byOthers(() => service.act(request));
  }

  #free(name: string): void {
    for (const [id, { kind, text }] of this.#made) {
      if (kind !== 'clusters' || text !== name) continue;
      this.#made.delete(id);
      this.#world.service.store.remove(kind, tenant, id);
    }
  }

  #register(image: string): void {
    this.#ask('POST', `images/${image}`, { username: 'theirs', description: '' });
    this.#ask('POST', `images/${image}/tag`, { tags: allTags });
  }

  #vanish(name: string): void {
    const { server, facts, service } = this.#world;
    const uid = server.get('clusters', namespace, name)?.metadata.uid;
    const row = facts.rowsOf(uid ?? '').find(({ kind }) => kind === 'clusters');
    this.#world.trace(`vanish ${name} ${row === undefined ? 'nothing' : ''}`);
    if (row === undefined) return;
    this.#world.hit('vanished');
    service.store.remove('clusters', tenant, row.record.id);
    service.endRunsOn(row.record.id);
  }

  #runsOf(name: string): readonly Row[] {
    const { server, facts } = this.#world;
    const uid = server.get('jobexecutions', namespace, name)?.metadata.uid;
    return facts.rowsOf(uid ?? '');
  }

  #vanishRun(name: string): void {
    for (const { record } of this.#runsOf(name)) {
      this.#world.hit('a run vanished');
      this.#world.service.store.remove('jobExecutions', tenant, record.id);
    }
  }

  #stopRun(name: string): void {
    for (const { record } of this.#runsOf(name)) {
      this.#world.hit('a run was stopped');
      this.#ask('GET', `job-executions/${record.id}/cancel`, {});
    }
  }

  #loseAll(): void {
    const { facts, service } = this.#world;
    this.#lost = facts.rows().filter(({ record }) => facts.ownerOf(record.id) !== undefined);
    this.#world.trace(`lose ${this.#lost.map(({ record }) => record.name).join(' ')}`);
    for (const { kind, record } of this.#lost) service.store.remove(kind, tenant, record.id);
  }

  /**
   * Only what is still somebody's, was not being changed, has a name that is free, and was not denied to who asked for it by its id; and
   * only with all that it refers to.
   */
  #findAll(): void {
    const { facts, service } = this.#world;
    // Nobody can tell how far a run would be, and bytes are not kept.
    const lost = this.#lost.filter(({ kind }) => kind !== 'jobExecutions' && kind !== 'jobBinaryInternals');
    for (const { kind, record } of lost.toReversed()) {
      const ledger = facts.ledgerOf(facts.resourceOf(facts.ownerOf(record.id)));
      const isClaimed = ledger?.claims.some(({ id }) => id === record.id) ?? false;
      const { work, status = 'Active' } = record as Partial<ClusterRecord>;
      const taken = service.store.list(kind, tenant).some(({ name }) => name === record.name);
      if (!isClaimed || taken || facts.denied.has(record.id) || work !== undefined || status !== 'Active') continue;
      if (!referencesOf(record).every((id) => facts.rows().some((row) => row.record.id === id))) continue;
      this.#world.hit('found again');
      service.store.put(kind, tenant, record);
    }
  }
}
