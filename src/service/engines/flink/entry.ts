// Flink in the registry of engines.
import type { EngineEntry } from '../engine-entry.ts';
import { imagesOf } from '../image.ts';
import { createFlink } from './flink.ts';
import { simulatedFlink } from './simulated.ts';
import { flinkSource } from './source.ts';

const { name, version } = flinkSource;
const referenceOf = (wanted: string): string => `docker.io/apache/flink:${wanted}-java17`;

export const flinkEntry: EngineEntry = {
  plugin: 'flink',
  sources: [flinkSource],
  variables: ['FLINK_'],
  image: {
    name,
    official: {
      reference: referenceOf(version),
      home: '/opt/flink',
      java: '/opt/java/openjdk/bin/java',
      user: 9999,
      version,
    },
    extras: [],
    // Programs and processes of Flink need the same version.
    referenceOf,
  },
  onHost({ homes, java, flavors }) {
    return (homes.get(name) ?? []).map(({ folder, version: installed }) => ({
      engine: createFlink({ folder, java }, flavors),
      version: installed,
    }));
  },
  inImage(images, flavors) {
    return imagesOf(images, name).map(({ home, java, version: installed }) => ({
      engine: createFlink({ folder: home, java, isImage: true }, flavors),
      version: installed,
    }));
  },
  simulated: simulatedFlink,
};
