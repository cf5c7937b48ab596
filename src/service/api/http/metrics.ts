// The metrics of the bundled service: what its volume has left, and how long its event loop was blocked.
import { Gauge, Registry } from 'prom-client';
import type { Volume } from '../../model/disk/volume.ts';

const prefix = 'dataprocessing_service_';

/** What is measured; absent where it is not. */
export interface MetricSources {
  readonly volume: Volume | undefined;
  /** Longest delay of the event loop since the last call, in seconds. */
  readonly loopDelay: (() => number) | undefined;
}

/** A registry of its own, whose values are read when Prometheus scrapes. Names the metrics that are not measured, too. */
export function createMetrics({ volume, loopDelay }: MetricSources): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, read: (volume: Volume) => number) =>
    gaugeOf(name, help, () => volume && read(volume));
  const gaugeOf = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name: prefix + name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        if (value === undefined || !Number.isFinite(value)) this.remove();
        else this.set(value);
      },
    });
  gaugeOf('eventloop_lag_max_seconds', 'Longest delay of the event loop since the last scrape.', () => loopDelay?.());
  gauge(
    'volume_full',
    '1 while the volume of the data is full, so that the service refuses everything but reads, deletions and cancellations.',
    ({ isFull }) => Number(isFull),
  );
  gauge(
    'volume_free_bytes',
    'Free space on the volume of the data, without the reserve.',
    ({ freeBytes }) => freeBytes,
  );
  gauge('volume_size_bytes', 'Size of the volume of the data.', ({ totalBytes }) => totalBytes);
  gauge(
    'volume_free_files',
    'How many more files (inodes) the volume of the data can have. Absent if its file system does not limit them.',
    ({ freeFiles }) => freeFiles,
  );
  gauge(
    'volume_size_files',
    'How many files (inodes) the volume of the data can have. Absent if its file system does not limit them.',
    ({ totalFiles }) => totalFiles,
  );
  return registry;
}
