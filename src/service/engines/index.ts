// The registry of engines. Everything outside of this folder goes through it: an engine is a folder here, and a line in this table.
import type { EngineEntry } from './engine-entry.ts';
import { flinkEntry } from './flink/entry.ts';
import { hadoopEntry } from './hadoop/entry.ts';
import { sparkEntry } from './spark/entry.ts';

export const registry: readonly EngineEntry[] = [sparkEntry, hadoopEntry, flinkEntry];

export const engineSources = registry.flatMap(({ sources }) => sources);
export const engineImages = registry.map(({ plugin, image }) => ({ plugin, ...image }));
/** The plugins of simulated clusters, and their pages. */
export const bundledPlugins = registry.flatMap(({ simulated }) => simulated.plugins);
export const simulatedPages = registry.flatMap(({ simulated }) => simulated.pages);
/** What the names of the variables begin with that engines set in their programs. */
export const engineVariables = registry.flatMap(({ variables }) => variables);
/** The settings by which jobs give their programs more memory. */
export const memorySettings = registry.flatMap(({ memorySetting }) => memorySetting ?? []);
