// The disk space that the tutorial names for a first run is what the parts take that are here.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KUBERNETES_VERSION, platformName } from '../../dev/plane/binaries/release.ts';
import { cacheRoot } from '../../src/lib/fetch/cache.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { readPage } from '../e2e/support/documents.ts';
import { findEngine } from '../engines/engines.ts';

const [, table = ''] = readPage('docs/getting-started/README.md').split('\n## What the first run installs\n');
const documented = Object.fromEntries(
  [...table.matchAll(/^\| ([^|]+) \| [^|]+ \| ([\d.]+) GB \|/gm)].map(([, what = '', size]) => [what, Number(size)]),
);

const binaries = join(cacheRoot(process.env), 'kubernetes', `${KUBERNETES_VERSION}-${platformName()}`);
const ofPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager'].map((name) => join(binaries, name));
/** All but what tools keep there. */
const packages = readdirSync('node_modules')
  .filter((name) => name !== '.cache')
  .map((name) => join('node_modules', name));
const spark = findEngine(sparkSource);

/** In GB. */
function sizeOf(paths: readonly string[]): number {
  const total =
    execFileSync('du', ['-smc', ...paths], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1) ?? '';
  return Number.parseInt(total, 10) / 1000;
}

/** Packages are larger on one platform than on another. */
const expectNear = (shown: number | undefined, size: number): void =>
  expect(Math.abs((shown ?? 0) - size), `${shown} GB are documented, and there are ${size} GB`).toBeLessThan(0.1);

describe('the first run', () => {
  test('has packages of this size', () => {
    expectNear(documented['npm packages'], sizeOf(packages));
  });

  test.skipIf(!ofPlane.every((path) => existsSync(path)))('has programs of an API server of this size', () => {
    expectNear(documented['etcd, kube-apiserver, kube-controller-manager'], sizeOf(ofPlane));
  });

  test.skipIf(spark === undefined)('has a Spark of this size', () => {
    expectNear(documented['Spark, without `--simulated`'], sizeOf([spark?.folder ?? '']));
  });

  test('takes the sum of them, with and without a build, also in the README', () => {
    const sum = Object.values(documented).reduce((one, other) => one + other, 0);
    const [, built, downloaded] =
      / builds everything takes ([\d.]+) GB, and one that downloads everything ([\d.]+) GB/.exec(table) ?? [];
    const [, caches] = / another ([\d.]+) GB in its own caches/.exec(table) ?? [];
    expect([Number(downloaded), Number(built)]).toEqual(
      [sum, sum + Number(caches)].map((size) => Math.round(size * 10) / 10),
    );
    const readme = readPage('README.md');
    for (const size of [downloaded, caches]) expect(readme).toContain(`${size} GB`);
  });
});
