// Troubles from their beginning to their end: told where they must be, harmful to nobody else, and always with a way out.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Bench, planted } from './bench.ts';
import type { TroubleRow } from './row.ts';
import { Site } from './site.ts';

async function overcome(site: Site): Promise<void> {
  const { bench, row, slug, parts } = site;
  await site.connect();
  for (const { kind, name, spec } of parts) await bench.world.apply(kind, name, spec);
  const [first] = parts;
  await site.touch();
  await site.hearsAll();
  if (row.status && first) expect((await bench.world.get(first.kind, first.name))?.status).toMatchObject(row.status);
  if (row.externalName && first) {
    const { status } = (await bench.world.get(first.kind, first.name)) ?? {};
    expect(status?.externalName).toMatch(site.pattern(row.externalName));
    expect(await bench.made(slug)).toContain(status?.externalName);
  }
  await bench.othersGoOn();
  await site.hearsAll();
  expect(await bench.made(slug)).toHaveLength(row.made);
  for (const { kind, name } of [...parts, { kind: 'Connection', name: slug }]) {
    Bench.saysNothingItShouldNot(JSON.stringify(await bench.world.get(kind, name)) ?? '');
  }
  if (row.remedy) await site.follow(row.remedy);
  if (row.deletable === 'after') site.rule?.lift();
  await site.delete();
  expect(await bench.made(slug)).toHaveLength(row.left ?? 0);
  await bench.operatorIsWell();
}

/** `heard`: words that people and programs read of one of the rows at least. */
export function troubles(rows: readonly TroubleRow[], heard: string): void {
  describe.skipIf(inject('kubeconfig') === '')('trouble', () => {
    let bench: Bench;
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
      const site = new Site(bench, row, row.slug);
      try {
        await overcome(site);
      } finally {
        await site.close();
      }
    });

    test('and nothing of it was a surprise to the operator, nor did it tell a secret', async () => {
      await bench.othersGoOn();
      await bench.operatorIsWell();
      expect(unhandled).toEqual([]);
      const all = await bench.heard();
      expect(all).toContain(heard);
      Bench.saysNothingItShouldNot(all);
      expect(Object.values(planted)).toHaveLength(4);
    });
  });
}
