// What the registry knows of an engine: where it comes from, and how it is opened where it is installed.
import type { PluginEntry } from '../model/catalog/plugins.ts';
import type { Engine } from './engine.ts';
import type { Flavor } from './flavors.ts';
import type { EngineSource } from './homes/engine-source.ts';
import type { EngineHome } from './homes/find.ts';
import type { Python } from './homes/python.ts';
import type { EngineImages, ImageSource } from './image.ts';

/** What this computer has. */
export interface Host {
  /** The installations that were found, by the names of their sources. That of the default release line comes first. */
  readonly homes: ReadonlyMap<string, readonly EngineHome[]>;
  /** The file and the folder of the Java that runs them. */
  readonly java: string;
  readonly javaHome: string;
  /** The interpreter of programs in Python. Undefined if there is none. */
  readonly python: Python | undefined;
  /** Where parts are installed that engines do not have themselves. */
  readonly cache: string;
  readonly flavors: readonly Flavor[];
  /** The file with the keys of S3 for event logs. When absent: there is none. */
  readonly historyKeys?: string | undefined;
  /** Whether processes and jobs serve metrics. */
  readonly metrics?: boolean;
}

/** An engine with the version that is installed. */
export interface OfferedEngine {
  readonly engine: Engine;
  readonly version: string;
}

/** A page of a simulated cluster. */
export interface SimulatedPage {
  readonly process: string;
  readonly target: string;
  readonly label: string;
  readonly url: (address: string) => string;
}

export interface EngineEntry {
  /** The plugin that it runs. */
  readonly plugin: string;
  /** Its own installation, and those of parts that it uses if they are there. */
  readonly sources: readonly EngineSource[];
  readonly image: ImageSource;
  /** What the names of the variables begin with that its programs get. Nobody else sets them. */
  readonly variables: readonly string[];
  /** The setting that gives the program of a job more memory. When absent: there is none. */
  readonly memorySetting?: string;
  /** Throws an Error with the remedy if this computer cannot run it at all. It is called before engines are looked for. */
  readonly checkHost?: () => void;
  /** One for each version that is installed. Empty if none is. */
  readonly onHost: (host: Host) => readonly OfferedEngine[];
  /** One for each image. */
  readonly inImage: (images: EngineImages, flavors: readonly Flavor[], metrics?: boolean) => readonly OfferedEngine[];
  /** What there is of it where clusters are simulated. */
  readonly simulated: { readonly plugins: readonly PluginEntry[]; readonly pages: readonly SimulatedPage[] };
}
