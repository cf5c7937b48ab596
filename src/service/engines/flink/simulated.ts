// Flink where clusters are simulated.
import { general, settings, sizes } from '../../model/catalog/configs.ts';
import type { EngineEntry } from '../engine-entry.ts';
import { ports } from './launch.ts';
import { manager, worker } from './options.ts';
import { flinkSource } from './source.ts';

export const simulatedFlink: EngineEntry['simulated'] = {
  plugins: [
    {
      name: 'flink',
      title: 'Flink',
      description: 'Processing of streams and batches',
      versions: [
        {
          version: flinkSource.version,
          jobTypes: ['Java', 'Shell'],
          processes: { Flink: [manager, worker] },
          configs: [
            ...general,
            ...sizes('Flink', [
              ['Job Manager Heap Size', 256, 'Memory of the job manager in MiB'],
              ['Task Manager Memory', 'all', 'Memory of a task manager with all tasks on it'],
              ['Task slots', 'all', 'Slots for tasks on a machine'],
            ]),
            ...settings('Flink', 'cluster', [
              ['parallelism.default', '1', 'Tasks that each operator of a job runs as'],
            ]),
          ],
        },
      ],
    },
  ],
  pages: [{ process: manager, target: 'Flink', label: 'Web UI', url: (address) => `http://${address}:${ports.rest}` }],
};
