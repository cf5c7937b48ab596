// The real API server and the operator's parser judge the same made-up specs, and agree.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Schema } from '../../../../dev/generate/fields.ts';
import { toStructural } from '../../../../dev/generate/structural-schema.ts';
import { values } from '../../api/structural.ts';
import { definitions, type Kind, openSchemaApi, type SchemaApi } from './api.ts';

const kubeconfig = inject('kubeconfig');
/** Far more than it takes to see both, unless nothing made up is ever taken, or refused. */
const mostRounds = 20;

/** How many made-up specs a round has. */
export interface Amount {
  readonly ofTemplate: number;
  /** Most are refused for a word of adopt alone: how many are not is left to chance. */
  readonly ofOthers: number;
}

/** Judges as many made-up specs of each kind. The namespace is for these alone. */
export function agree(namespace: string, amount: Amount): void {
  describe.skipIf(kubeconfig === '')('the API server and the parser', () => {
    let api: SchemaApi;
    beforeAll(async () => {
      api = await openSchemaApi(kubeconfig, namespace);
    });
    afterAll(async () => api?.close());

    test.each(definitions)('$kind', async ({ kind, spec }) => {
      const isTemplate = kind === 'NodeGroupTemplate';
      const fewestTaken = isTemplate ? 20 : -1;
      const numRuns = isTemplate ? amount.ofTemplate : amount.ofOthers;
      const seen = { taken: 0, refused: 0 };
      const judge = async (value: unknown) => judgeBoth({ api, kind, spec, seen }, value);
      const isEnough = () => seen.taken > fewestTaken && seen.refused > 5;
      for (let round = 0; round < mostRounds && !isEnough(); round += 1)
        await fc.assert(fc.asyncProperty(values(toStructural(spec) as Schema), judge), { numRuns });
      expect(seen.refused).toBeGreaterThan(5);
      expect(seen.taken).toBeGreaterThan(fewestTaken);
    });
  });
}

interface Case {
  readonly api: SchemaApi;
  readonly kind: Kind;
  readonly spec: (typeof definitions)[number]['spec'];
  readonly seen: { taken: number; refused: number };
}

async function judgeBoth({ api, kind, spec, seen }: Case, value: unknown): Promise<void> {
  const complaints = await api.tryCreate(kind, value);
  // Strictness is for people who mistype: without it the API server drops unknown fields, as parsing does.
  if (complaints.some((line) => line.includes('unknown field'))) return;
  const parsed = spec.safeParse(value).success;
  // Parsing knows no rules between fields, and the API server no values of configurations.
  const onlyRules = complaints.length > 0 && complaints.every((line) => crossField.test(line));
  seen[complaints.length === 0 ? 'taken' : 'refused'] += 1;
  if (complaints.length > 0 && !onlyRules) expect(parsed, complaints.join('; ')).toBe(false);
  if (complaints.length === 0 && !hasConfigs(value)) expect(parsed).toBe(true);
}

const hasConfigs = (value: unknown): boolean => /"(node|cluster)Configs"/.test(JSON.stringify(value));

const crossField =
  /: (Required value: (a |type |give |set idleDeleteAfterSeconds|.* is required (unless auth\.type is Keystone|where auth or tls names one))|Forbidden: |Invalid value: .*In and NotIn need values|Invalid value: .*in a Cluster without|Invalid value: .*is larger than \d+ bytes|Invalid value: .*minCount must not be larger|Invalid value: .*(needs adopt|set exactly one of id|name at least one field|of an adopted cluster)|Invalid value: .*for the type |Invalid value: ("object": )?only .* have credentials|Invalid value: .*null: some validation rules)/;
