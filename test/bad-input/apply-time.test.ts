// What the API server refuses: on the real one, with the operator at work beside it.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { apiVersion } from '../../src/operator/api/common.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { verdictOf } from '../operator/kinds/schema/api.ts';
import { applyRows } from './apply-time.ts';
import { Bench } from './bench.ts';
import { immutableRows, unjudgedFields } from './immutable.ts';
import type { ApplyRow } from './row.ts';

let bench: Bench;
let number = 0;
const rows = [...applyRows, ...immutableRows];

test('every field of every kind may change, or is here with its refusal', () => {
  expect(definitions.flatMap((one) => unjudgedFields(one).map((field) => `${one.kind}.${field}`))).toEqual([]);
});

describe.skipIf(inject('kubeconfig') === '')('at apply', () => {
  beforeAll(async () => {
    bench = await Bench.open();
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  test.concurrent.each(rows)('$name', async (row) => {
    const { field, says, applied = says } = row;
    const named = row.called ?? `bad-${number++}`;
    const object = { apiVersion, kind: row.kind, metadata: { name: named } };
    const { api } = bench.world;
    const path = bench.world.path(row.kind, named);
    const strict = '?fieldValidation=Strict';
    if (row.before) await bench.world.apply(row.kind, named, row.before);
    const sent = row.before
      ? await api.send({ method: 'PATCH', path: path + strict, body: { spec: { ...unset(row.before), ...row.spec } } })
      : await api.send({
          method: 'POST',
          path: bench.world.path(row.kind) + strict,
          body: { ...object, spec: row.spec },
        });
    const lines = verdictOf(sent);
    expect(lines.join('\n')).toMatch(says);
    expect(lines.find((line) => says.test(line))).toMatch(new RegExp(`^${escaped(field)}:`));
    const said = verdictOf(await api.apply(path, { ...object, spec: row.spec })).join('\n');
    expect(said).toMatch(applied);
    await nothingCame(row, named);
  });

  /** The object is not there, or as it was, and can be deleted. */
  async function nothingCame(row: ApplyRow, named: string): Promise<void> {
    const found = await bench.world.get(row.kind, named);
    if (row.before === undefined) {
      expect(found?.metadata.name).toBeUndefined();
      return;
    }
    expect(found?.metadata.generation).toBe(1);
    await bench.world.delete(row.kind, named);
    await bench.world.gone(row.kind, named);
  }

  test('and the operator has not minded any of it', async () => {
    await bench.othersGoOn();
    await bench.operatorIsWell();
    expect(await bench.made('good')).toHaveLength(1);
  });
});

/** In a merge patch, what is not said stays: each field of before has to go by name. */
const unset = (spec: object) => Object.fromEntries(Object.keys(spec).map((field) => [field, null]));

const escaped = (text: string): string => text.replaceAll(/[.[\]]/g, String.raw`\$&`);
