// What --hide-info leaves out.
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { withoutInfo } from '../../src/cli/output/info-lines.ts';

async function shown(text: string, size: number): Promise<string> {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const all: Uint8Array[] = [];
  for await (const part of withoutInfo(Readable.from(parts))) all.push(part);
  return Buffer.concat(all).toString();
}

/** As Spark 4.1, Hadoop 3.5 and Pig write them. */
const hidden = [
  '26/11/28 13:37:46 INFO SparkContext: Running Spark version 4.1.2',
  '26/11/28 13:37:46 DEBUG Utils: é',
  '2026-11-28 13:37:46,123 INFO mapreduce.Job:  map 0% reduce 0%',
  '2026-11-28 13:37:46,123 [main] INFO  org.apache.pig.Main - Apache Pig',
  '2026-11-28T13:37:46.123 [a thread] TRACE x',
  `26/11/28 13:37:46 INFO ${'x'.repeat(5_000)}`,
];
const printed = [
  '26/11/28 13:37:46 WARN Utils: Set SPARK_LOCAL_IP',
  '26/11/28 13:37:46 ERROR TaskSetManager: Task 0 failed',
  "('INFO', 2)",
  ' 26/11/28 13:37:46 INFO not at the beginning',
  '26/11/28 13:37:46 INFORMATION',
  'é'.repeat(5_000),
  '',
  "Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties",
];

test.each([1, 7, 1_000, 100_000])(
  'in parts of %i bytes, lines at INFO and below are left out, and nothing else',
  async (size) => {
    const lines = printed.flatMap((line, at) => [hidden[at % hidden.length], line]);
    expect(await shown(`${lines.join('\n')}\n`, size)).toBe(`${printed.join('\n')}\n`);
    expect(await shown(`${hidden.join('\n')}\nthe last`, size)).toBe('the last');
    expect(await shown(hidden.join('\n'), size)).toBe('');
  },
);

test('the beginning of a long line is printed before its end', async () => {
  let isAsked = false;
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x'.repeat(2_000));
    isAsked = true;
    yield Buffer.from('y\n');
  }
  for await (const part of withoutInfo(parts())) {
    expect([part.length, isAsked]).toEqual([2_000, false]);
    break;
  }
});
