// The metrics of the bundled service: what its volume has left.
import { Gauge, Registry } from 'prom-client';
import type { Volume } from '../disk/volume.ts';

const prefix = 'dataprocessing_service_';

/** A registry of its own, whose values are read when Prometheus scrapes. Names the metrics without a volume, too. */
export function createMetrics(volume: Volume | undefined): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, read: (volume: Volume) => number) =>
    new Gauge({
      name: prefix + name,
      help,
      registers: [registry],
      collect() {
        const value = volume && read(volume);
        if (value === undefined || !Number.isFinite(value)) this.remove();
        else this.set(value);
      },
    });
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
