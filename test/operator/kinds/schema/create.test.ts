// What a new object may look like, by the judgement of the real API server: field and words of each refusal.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openSchemaApi, type SchemaApi } from './api.ts';
import { refusals, samples } from './refusals.ts';

const kubeconfig = inject('kubeconfig');

describe.skipIf(kubeconfig === '')('a new object', () => {
  let api: SchemaApi;
  beforeAll(async () => {
    api = await openSchemaApi(kubeconfig, 'schema-create');
  });
  afterAll(async () => api?.close());

  test.each(samples)('is taken: $name', async ({ kind, spec }) => {
    expect(await api.tryCreate(kind, spec)).toEqual([]);
  });

  test.each(refusals)('is refused: $name', async ({ kind, spec, complaints, applying }) => {
    const created = await api.tryCreate(kind, spec);
    expect(created).toHaveLength(complaints.length);
    for (const complaint of complaints) expect(created).toContainEqual(expect.stringMatching(complaint));
    const applied = (await api.tryApply(kind, spec)).join('\n');
    if (applying !== undefined) expect(applied).toContain(applying);
    else for (const complaint of complaints) expect(applied).toMatch(new RegExp(complaint, 'm'));
  });
});
