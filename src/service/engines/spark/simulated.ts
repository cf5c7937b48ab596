// Spark where clusters are simulated: releases that people know, with their processes and configurations.
import { general, settings, sizes } from '../../model/catalog/configs.ts';
import type { EngineEntry } from '../engine-entry.ts';
import { configsOf } from '../engine-options.ts';
import { simulatedHdfs } from '../hadoop/simulated.ts';
import { s3aOptions } from '../s3a/s3a-options.ts';
import { ports } from './launch.ts';
import { sparkOptions } from './options.ts';
import { type SparkRelease, sparkReleases } from './releases.ts';

const spark = [
  ...sizes('Spark', [
    ['Worker memory', '1g', 'Memory of a worker'],
    ['Worker cores', '1', 'Cores of a worker'],
  ]),
  ...settings('Spark', 'cluster', [
    ['Minimum cleanup seconds', '86400', 'Age after which finished applications are removed'],
    ['Master port', '7077', 'Where workers find the master'],
    ['Master webui port', '8080', 'Where people find the master'],
  ]),
];

const sparkVersion = {
  jobTypes: ['Spark', 'Shell'] as const,
  processes: { HDFS: simulatedHdfs.processes, Spark: ['master', 'slave'] },
  configs: [...general, ...simulatedHdfs.configs, ...spark],
};

const realConfigs = configsOf([...sparkOptions, ...s3aOptions]);

/** Those of simulated clusters that real ones do not have by the same name. */
const otherConfigs = sparkVersion.configs.filter(
  (config) =>
    !realConfigs.some(
      ({ applicable_target, name }) => applicable_target === config.applicable_target && name === config.name,
    ),
);

/** What a release has for clients, beside its master and workers. */
const processesOf = ({ lacksConnect }: SparkRelease): readonly string[] => [
  ...sparkVersion.processes.Spark,
  'historyserver',
  ...(lacksConnect === true ? [] : ['connect']),
  'thriftserver',
];

export const simulatedSpark: EngineEntry['simulated'] = {
  plugins: [
    {
      name: 'spark',
      title: 'Spark',
      description: 'In-memory processing beside distributed storage',
      versions: [
        { version: '1.6.0', ...sparkVersion },
        { version: '2.3', ...sparkVersion },
        // The versions that real provisioners run, so that manifests work with all of them.
        ...sparkReleases.map((release) => ({
          version: release.version,
          ...sparkVersion,
          processes: { ...sparkVersion.processes, Spark: processesOf(release) },
          configs: [...otherConfigs, ...realConfigs],
        })),
      ],
    },
  ],
  pages: [
    { process: 'master', target: 'Spark', label: 'Web UI', url: (address) => `http://${address}:8080` },
    {
      process: 'historyserver',
      target: 'Spark',
      label: 'History Server',
      url: (address) => `http://${address}:${ports.historyPage}`,
    },
    {
      process: 'connect',
      target: 'Spark',
      label: 'Connect Server',
      url: (address) => `sc://${address}:${ports.connect}`,
    },
    {
      process: 'thriftserver',
      target: 'Spark',
      label: 'Thrift Server',
      url: (address) => `jdbc:hive2://${address}:${ports.thrift}`,
    },
  ],
};
