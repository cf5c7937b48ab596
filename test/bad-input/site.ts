// A row while it runs: its objects, what its service does wrong, what is told of it, and the way out.
import { expect, vi } from 'vitest';
import { ledgerAnnotation } from '../../src/operator/api/shared-api.ts';
import { canonicalJson } from '../../src/operator/reconcile/ledger/naming.ts';
import type { Resource, World } from '../integration/support/world.ts';
import { limitMs } from '../support/patience.ts';
import type { FaultProxy, Rule } from '../support/service/service-proxy.ts';
import { type Bench, readyOf } from './bench.ts';
import { tokenFrom } from './parts.ts';
import type { Hand, Mangled, Part, Remedy, Told, TroubleRow } from './row.ts';

/** With its own names in its parts. */
export class Site {
  readonly bench: Bench;
  readonly row: TroubleRow;
  readonly slug: string;
  readonly parts: readonly Part[];
  proxy: FaultProxy | undefined;
  rule: Rule | undefined;

  constructor(bench: Bench, row: TroubleRow, slug: string) {
    this.bench = bench;
    this.row = row;
    this.slug = slug;
    this.parts = this.own(row.parts);
  }

  own<T>(value: T): T {
    const { host } = new URL(this.bench.world.service.url);
    return JSON.parse(JSON.stringify(value).replaceAll('@service', host).replaceAll('@', this.slug)) as T;
  }

  pattern({ source }: RegExp): RegExp {
    return new RegExp(source.replaceAll('@', this.slug));
  }

  /** The Connection and its Secrets. */
  async connect(): Promise<void> {
    const { fault, connection = {}, secrets = [] } = this.row;
    const { world } = this.bench;
    for (const { kind, name, spec } of this.own(secrets)) await world.apply(kind, name, spec);
    if (connection === null) return;
    this.proxy = fault && (await this.bench.proxy());
    if (fault?.from === 'start') this.break();
    const endpoint = this.proxy?.url ?? world.service.url;
    const spec = { endpoint, tenantID: this.slug, pollSeconds: 3, ...tokenFrom('right'), ...this.own(connection) };
    await world.apply('Connection', this.slug, spec);
    if (fault === undefined || fault.from === 'start') return;
    await world.ready('Connection', this.slug);
    if (fault.from === 'ready') this.break();
  }

  /** What somebody does to the first part when it is Ready. */
  async touch(): Promise<void> {
    const { fault, edit, hand } = this.row;
    const { world } = this.bench;
    const [first] = this.parts;
    if (!first) return;
    if (hand) await byHand(world, first, hand);
    if (fault?.from !== 'edit' && fault?.from !== 'delete') return;
    const { kind, name } = first;
    await world.ready(kind, name);
    this.break();
    if (edit) await world.apply(kind, name, this.own(edit));
    else await world.delete(kind, name);
  }

  async hearsAll(): Promise<void> {
    for (const told of this.row.told) await this.hears(told);
  }

  break(): void {
    const { does, from: _from, ...match } = this.row.fault ?? {};
    if (does) this.rule = this.proxy?.on(match, does);
  }

  async hears(told: Told): Promise<Resource> {
    const { kind, name } = this.own({ kind: told.kind, name: told.name });
    const says = this.pattern(told.says);
    return vi.waitFor(
      async () => {
        const found = await this.bench.world.get(kind, name);
        const { status = 'False', reason } = told;
        expect(readyOf(found)).toMatchObject({ status, reason, message: expect.stringMatching(says) });
        return found as Resource;
      },
      { timeout: limitMs, interval: 100 },
    );
  }

  /** Does what the message asks for, at a service that is well. */
  async follow({ by, spec, heals }: Remedy): Promise<void> {
    this.rule?.lift();
    const { world } = this.bench;
    const [{ kind, name } = expect.unreachable()] = this.parts;
    const better = this.own(spec);
    const body = { apiVersion: 'dataprocessing.dev/v1alpha1', kind, metadata: { name }, spec: better };
    const { status } = await world.api.apply(world.path(kind, name), body);
    expect(status).toBe(by === 'edit' ? 200 : 422);
    if (by === 'anew') {
      await world.delete(kind, name);
      await world.gone(kind, name);
      await world.apply(kind, name, better);
    }
    await vi.waitFor(async () => {
      const ready = readyOf(await (heals ? world.get('Cluster', this.own(heals)) : world.get(kind, name)));
      expect(['Provisioning', 'Available'], ready?.message).toContain(ready?.reason);
    }, limitMs);
  }

  async delete(): Promise<void> {
    const { world } = this.bench;
    const all = [...this.parts, { kind: 'Connection', name: this.slug }, ...this.own(this.row.secrets ?? [])];
    for (const { kind, name } of all) await world.delete(kind, name);
    // As Kubernetes does after a run that is gone; nothing does it here.
    for (const { kind, name } of all) if (kind === 'JobExecution') await this.collect(name);
    for (const { kind, name } of all) await world.gone(kind, name);
  }

  async collect(run: string): Promise<void> {
    const { world } = this.bench;
    await world.gone('JobExecution', run);
    for (const kind of ['Cluster', 'Job']) await world.delete(kind, run);
    for (const kind of ['Cluster', 'Job']) await world.gone(kind, run);
  }

  async close(): Promise<void> {
    await this.proxy?.close();
  }
}

/** Status without what may rightly differ: times, and the operator's own copy of its ledger. */
const said = (resource: Resource): string =>
  canonicalJson(resource.status).replaceAll(/"(lastTransitionTime|ledger)":"(\\.|[^"\\])*"/g, '');

async function byHand(world: World, { kind, name }: Part, { on, patch, heals }: Hand): Promise<void> {
  const before = await world.ready(kind, name);
  const path = world.path(kind, name) + (on === 'status' ? '/status' : '');
  const answer = await world.api.send({ method: 'PATCH', path, body: patch(before as Mangled) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  if (!heals) return;
  const marks = ({ metadata }: Resource) => [
    metadata.finalizers,
    JSON.parse(metadata.annotations?.[ledgerAnnotation] ?? '{}') as unknown,
  ];
  await vi.waitFor(async () => {
    const after = (await world.get(kind, name)) as Resource;
    expect(said(after)).toBe(said(before));
    expect(JSON.stringify(after.status)).not.toContain('yesterday');
    expect(marks(after)).toEqual(marks(before));
  }, limitMs);
}
