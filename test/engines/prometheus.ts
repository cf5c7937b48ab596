// A real Prometheus that reads pages with metrics. Without one its tests are skipped, and the reason is told.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { collect, listOf, whileFilling } from '../../dev/plane/binaries/binaries.ts';
import { PROMETHEUS_VERSION, platformName } from '../../dev/plane/binaries/release.ts';
import { folderSource, goSource } from '../../dev/plane/binaries/sources.ts';
import { cacheRoot } from '../../src/lib/fetch/cache.ts';
import { comes } from './support.ts';

/** Its path. Undefined where it is not in the cache and cannot be built. */
export async function findPrometheus(): Promise<string | undefined> {
  const folder = join(cacheRoot(process.env), 'prometheus', `${PROMETHEUS_VERSION}-${platformName()}`);
  const tell = (line: string): void => console.warn(line);
  const sources = [folderSource('the cache', folder), goSource(folder, tell)];
  const { found, attempts } = await whileFilling(folder, tell, () => collect(['prometheus'], sources, {}, tell));
  if (found.prometheus === undefined) tell(`The tests of metrics are skipped: ${listOf(attempts)}`);
  return found.prometheus;
}

/** Scraped every second. */
export interface Target {
  readonly url: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface ShownTarget {
  readonly scrapeUrl: string;
  readonly health: string;
  readonly lastError: string;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

export interface Prometheus {
  /** Resolves when each target was read without an error. */
  readAll(): Promise<void>;
  query(expression: string): Promise<readonly Sample[]>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const jobOf = ({ url, labels }: Target, index: number) => ({
  job_name: `page-${index}`,
  metrics_path: new URL(url).pathname,
  static_configs: [{ targets: [new URL(url).host], labels }],
});

/** It ends with the test. */
export async function startPrometheus(program: string, targets: readonly Target[]): Promise<Prometheus> {
  const root = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const port = await freePort();
  const config = { global: { scrape_interval: '1s', scrape_timeout: '1s' }, scrape_configs: targets.map(jobOf) };
  mkdirSync(join(root, 'data'));
  // JSON is YAML.
  writeFileSync(join(root, 'prometheus.yml'), JSON.stringify(config));
  const flags = [
    `--config.file=${join(root, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(root, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const server = spawn(program, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(root, { recursive: true });
  });
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return ((await answer.json()) as { readonly data: T }).data;
  };
  return {
    readAll: () =>
      comes(async () => {
        const { activeTargets } = await ask<{ readonly activeTargets: readonly ShownTarget[] }>('targets');
        const wrong = activeTargets.filter(({ health }) => health !== 'up');
        expect(wrong.map(({ scrapeUrl, health, lastError }) => `${scrapeUrl} ${health} ${lastError}`)).toEqual([]);
        expect(activeTargets).toHaveLength(targets.length);
      }),
    query: async (expression) =>
      (await ask<{ readonly result: readonly Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
  };
}
