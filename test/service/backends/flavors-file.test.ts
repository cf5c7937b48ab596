// The file of flavors: both of its forms, and what is wrong in them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseFlavors, readFlavors } from '../../../src/service/backends/flavors-file.ts';
import { usualFlavors } from '../../../src/service/engines/flavors.ts';

test('without a file, there are the usual flavors, and no default of jobs', () => {
  expect(readFlavors(undefined)).toEqual({ flavors: usualFlavors });
});

test('a map of flavors is read, with their names as identifiers', () => {
  const file = `
    flavors:
      small: { cores: 2, memoryMiB: 1000 }
      large.gpu-1: { cores: 8, memoryMiB: 32768, diskGiB: 100, tenants: [team-a], pod: { runtimeClassName: nvidia } }
    defaultJobFlavor: small`;
  const pod = { runtimeClassName: 'nvidia' };
  expect(parseFlavors(file)).toEqual({
    flavors: [
      { id: 'small', name: 'small', cpus: 2, memory: 1000, disk: 20 },
      { id: 'large.gpu-1', name: 'large.gpu-1', cpus: 8, memory: 32_768, disk: 100, tenants: ['team-a'], pod },
    ],
    defaultJobFlavor: 'small',
  });
});

test('a flavor has a queue, and jobs can name queues', () => {
  const file = 'flavors: { a: { cores: 1, memoryMiB: 1000, queue: team-a } }\njobQueues: [night, day]';
  expect(parseFlavors(file)).toMatchObject({ flavors: [{ id: 'a', queue: 'team-a' }], jobQueues: ['night', 'day'] });
});

test('a list of flavors is read, as earlier versions have it', () => {
  const flavor = { id: 'a', name: 'b', cpus: 2, memory: 1000 };
  const parse = (more: object) => parseFlavors(JSON.stringify({ flavors: [{ ...flavor, ...more }] })).flavors;
  expect(parse({})).toEqual([{ ...flavor, disk: 20 }]);
  expect(parse({ disk: 7 })).toEqual([{ ...flavor, disk: 7 }]);
});

test('the example is a file of flavors', () => {
  const { flavors, defaultJobFlavor } = readFlavors(
    join(import.meta.dirname, '../../../examples/service/flavors.yaml'),
  );
  expect([flavors.map(({ id }) => id), defaultJobFlavor]).toEqual([['2', 'small', 'large'], 'small']);
  const job = readFileSync(join(import.meta.dirname, '../../../examples/flavors/job.yaml'), 'utf8');
  expect(job).toContain('edp.flavor: large');
});

describe('what is wrong is named with its path and the remedy', () => {
  const row = '{ id: a, name: b, cpus: 1, memory: 1000';
  const one = '{ cores: 1, memoryMiB: 1000';
  test.each([
    ['flavors: []', 'flavors: '],
    [`flavors: [{ id: a, name: b, cpus: 0, memory: 1000 }]`, 'flavors.0.cpus: '],
    [`flavors: [${row} }, ${row} }]`, 'flavors.1.id: an earlier flavor has the same id; use another one'],
    [`flavors: [${row}, disk: 0 }]`, 'flavors.0.disk: '],
    [`flavors: [${row}, disc: 1 }]`, 'flavors.0.disc: is not allowed here; allowed are id, name, cpus, memory, disk'],
    [`flavors: [${row}, pod: {} }]`, 'flavors.0.pod: is not allowed here'],
    ['{}', 'flavors: '],
    ['flavors: {}', 'flavors: has no flavor; add one'],
    ['flavors: 3', 'flavors: '],
    [
      `{ flavors: { a: ${one} } }, flavour: 1 }`,
      'flavour: is not allowed here; allowed are flavors, defaultJobFlavor, jobQueues',
    ],
    [`flavors: { a: { cores: 0, memoryMiB: 1000 } }`, 'flavors.a.cores: '],
    [`flavors: { a: { cores: 1.5, memoryMiB: 1000 } }`, 'flavors.a.cores: '],
    [`flavors: { a: { cores: 1 } }`, 'flavors.a.memoryMiB: '],
    [`flavors: { a: ${one}, diskGiB: 65537 } }`, 'flavors.a.diskGiB: '],
    [
      `flavors: { a: ${one}, memory: 1 } }`,
      'flavors.a.memory: is not allowed here; allowed are cores, memoryMiB, diskGiB, tenants, pod',
    ],
    [`flavors: { a: ${one}, tenants: [] } }`, 'flavors.a.tenants: names no tenant; leave it out for all of them'],
    [`flavors: { a: ${one}, tenants: team-a } }`, 'flavors.a.tenants: '],
    [`flavors: { 'a b': ${one} } }`, 'flavors.a b: is no name of a flavor'],
    [`flavors: { '': ${one} } }`, 'is no name of a flavor'],
    [`flavors: { __proto__: ${one} } }`, 'it has the key __proto__, which cannot be used'],
    [`flavors: { a: ${one}, queue: Team } }`, 'flavors.a.queue: must be the name of a LocalQueue'],
    [`flavors: { a: ${one}, queue: ${'x'.repeat(64)} } }`, 'flavors.a.queue: '],
    [`{ flavors: { a: ${one} } }, jobQueues: [] }`, 'jobQueues: names no queue; leave it out'],
    [`{ flavors: { a: ${one} } }, jobQueues: [day, a_b] }`, 'jobQueues.1: must be the name of a LocalQueue'],
    [`{ flavors: { a: ${one} } }, defaultJobFlavor: b }`, 'defaultJobFlavor: there is no such flavor; there are a'],
    [
      `{ flavors: { a: ${one}, tenants: [t] } }, defaultJobFlavor: a }`,
      'defaultJobFlavor: has tenants, and a default must be there for all; name another flavor',
    ],
  ])('%s', (text, problem) => {
    expect(() => parseFlavors(text)).toThrow(problem);
  });

  test('all of it at once, with keys that have dots in brackets', () => {
    const text = `flavors: { x.y: { cores: 0, memoryMiB: 1000, pod: { labels: { app.kubernetes.io/name: x } } } }`;
    expect(() => parseFlavors(text)).toThrow(
      /^flavors\[x\.y\]\.cores: .*; flavors\[x\.y\]\.pod\.labels\[app\.kubernetes\.io\/name\]: the service or Kubernetes/,
    );
  });

  test('names of properties that every object has are names of flavors like others', () => {
    const { flavors } = parseFlavors(`flavors: { constructor: ${one} }, toString: ${one} } }`);
    expect(flavors.map(({ id }) => id)).toEqual(['constructor', 'toString']);
  });
});

test('every file of flavors in the documentation is read', () => {
  const folder = join(import.meta.dirname, '../../../docs/how-to/bundled-service');
  const pages = ['flavors.md', 'queues.md'].map((page) => readFileSync(join(folder, page), 'utf8')).join('');
  const files = [...pages.matchAll(/^```yaml\n(flavors:\n[^]*?)^```$/gm)].map(([, text = '']) => text);
  expect(files).toHaveLength(6);
  for (const text of files) expect(parseFlavors(text).flavors.length).toBeGreaterThan(1);
});
