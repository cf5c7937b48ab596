// Every trouble that users and services make: told where it must be, harmful to nobody else, and always with a way out.
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { ledgerAnnotation } from '../../src/operator/api/shared-api.ts';
import { canonicalJson } from '../../src/operator/reconcile/ledger/naming.ts';
import type { Resource } from '../integration/support/world.ts';
import { limitMs } from '../support/patience.ts';
import type { FaultProxy, Rule } from '../support/service/service-proxy.ts';
import { Bench, planted, readyOf } from './bench.ts';
import { tokenFrom } from './parts.ts';
import type { Hand, Mangled, Part, Remedy, Told, TroubleRow } from './row.ts';
import { byHandRows } from './rows/by-hand.ts';
import { cloudRows } from './rows/clouds.ts';
import { endpointRows } from './rows/endpoint.ts';
import { jobRows } from './rows/jobs.ts';
import { namesRows } from './rows/names.ts';
import { referenceRows } from './rows/references.ts';
import { valueRows } from './rows/values.ts';
import { wordRows } from './rows/words.ts';

let bench: Bench;
const rows = [
  ...jobRows,
  ...endpointRows,
  ...cloudRows,
  ...wordRows,
  ...referenceRows,
  ...valueRows,
  ...namesRows,
  ...byHandRows,
];

/** A row while it runs: its parts with its own names. */
class Site {
  readonly row: TroubleRow;
  readonly slug: string;
  readonly parts: readonly Part[];
  proxy: FaultProxy | undefined;
  rule: Rule | undefined;

  constructor(row: TroubleRow, slug: string) {
    this.row = row;
    this.slug = slug;
    this.parts = this.own(row.parts);
  }

  own<T>(value: T): T {
    const { host } = new URL(bench.world.service.url);
    return JSON.parse(JSON.stringify(value).replaceAll('@service', host).replaceAll('@', this.slug)) as T;
  }

  pattern({ source }: RegExp): RegExp {
    return new RegExp(source.replaceAll('@', this.slug));
  }

  /** The Connection and its Secrets. */
  async connect(): Promise<void> {
    const { fault, connection = {}, secrets = [] } = this.row;
    for (const { kind, name, spec } of this.own(secrets)) await bench.world.apply(kind, name, spec);
    if (connection === null) return;
    this.proxy = fault && (await bench.proxy());
    if (fault?.from === 'start') this.break();
    const endpoint = this.proxy?.url ?? bench.world.service.url;
    const spec = { endpoint, tenantID: this.slug, pollSeconds: 1, ...tokenFrom('right'), ...this.own(connection) };
    await bench.world.apply('Connection', this.slug, spec);
    if (fault === undefined || fault.from === 'start') return;
    await bench.world.ready('Connection', this.slug);
    if (fault.from === 'ready') this.break();
  }

  /** What somebody does to the first part when it is Ready. */
  async touch(): Promise<void> {
    const { fault, edit, hand } = this.row;
    const [first] = this.parts;
    if (!first) return;
    if (hand) await byHand(first, hand);
    if (fault?.from !== 'edit' && fault?.from !== 'delete') return;
    const { kind, name } = first;
    await bench.world.ready(kind, name);
    this.break();
    if (edit) await bench.world.apply(kind, name, this.own(edit));
    else await bench.world.delete(kind, name);
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
        const found = await bench.world.get(kind, name);
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
    const { world } = bench;
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
    const all = [...this.parts, { kind: 'Connection', name: this.slug }, ...this.own(this.row.secrets ?? [])];
    for (const { kind, name } of all) await bench.world.delete(kind, name);
    // As Kubernetes does after a run that is gone; nothing does it here.
    for (const { kind, name } of all) if (kind === 'JobExecution') await this.collect(name);
    for (const { kind, name } of all) await bench.world.gone(kind, name);
  }

  async collect(run: string): Promise<void> {
    await bench.world.gone('JobExecution', run);
    for (const kind of ['Cluster', 'Job']) await bench.world.delete(kind, run);
    for (const kind of ['Cluster', 'Job']) await bench.world.gone(kind, run);
  }

  async close(): Promise<void> {
    await this.proxy?.close();
  }
}

/** Status without what may rightly differ: times, and the operator's own copy of its ledger. */
const said = (resource: Resource): string =>
  canonicalJson(resource.status).replaceAll(/"(lastTransitionTime|ledger)":"(\\.|[^"\\])*"/g, '');

async function byHand({ kind, name }: Part, { on, patch, heals }: Hand): Promise<void> {
  const { world } = bench;
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

describe.skipIf(inject('kubeconfig') === '')('trouble', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    bench = await Bench.open();
  });
  afterAll(async () => {
    process.off('unhandledRejection', note);
    await bench[Symbol.asyncDispose]();
  });

  /** As long for each row: names are cut to what there is room for. */
  const slugged = rows.map((row, index) => ({ ...row, slug: `r-${String(index).padStart(4, '0')}` }));

  test.concurrent.each(slugged)('$name', async (row) => {
    const site = new Site(row, row.slug);
    try {
      await site.connect();
      for (const { kind, name, spec } of site.parts) await bench.world.apply(kind, name, spec);
      const [first] = site.parts;
      await site.touch();
      await site.hearsAll();
      if (row.status && first)
        expect((await bench.world.get(first.kind, first.name))?.status).toMatchObject(row.status);
      if (row.externalName && first) {
        const { status } = (await bench.world.get(first.kind, first.name)) ?? {};
        expect(status?.externalName).toMatch(site.pattern(row.externalName));
        expect(await bench.made(row.slug)).toContain(status?.externalName);
      }
      await bench.othersGoOn();
      await site.hearsAll();
      expect(await bench.made(row.slug)).toHaveLength(row.made);
      for (const { kind, name } of [...site.parts, { kind: 'Connection', name: row.slug }]) {
        Bench.saysNothingItShouldNot(JSON.stringify(await bench.world.get(kind, name)) ?? '');
      }
      if (row.remedy) await site.follow(row.remedy);
      if (row.deletable === 'after') site.rule?.lift();
      await site.delete();
      expect(await bench.made(row.slug)).toHaveLength(row.left ?? 0);
      await bench.operatorIsWell();
    } finally {
      await site.close();
    }
  });

  test('and nothing of it was a surprise to the operator, nor did it tell a secret', async () => {
    await bench.othersGoOn();
    await bench.operatorIsWell();
    expect(unhandled).toEqual([]);
    const heard = await bench.heard();
    expect(heard).toContain('Unauthorized');
    Bench.saysNothingItShouldNot(heard);
    expect(Object.values(planted)).toHaveLength(4);
  });
});
