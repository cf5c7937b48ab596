// What the service itself gets for a run, beside the files of its job: packages, where its program cannot open those of the service, and Python packages.
import { constants, mkdirSync, renameSync } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import type { EngineNode, Program } from '../../engines/engine.ts';
import type { Packages } from '../../engines/packages/package-cache.ts';
import type { Environments } from '../../engines/packages/python-environments.ts';
import type { PythonTarget } from '../../engines/packages/python-target.ts';
import { readRequirements } from '../../engines/packages/requirements.ts';
import { suppliesFolder } from '../../model/disk/disk-usage.ts';
import { type BringOptions, digestIn, textIn } from './binaries.ts';

/** How jobs get what is not theirs, or what users do who want it. */
export interface Suppliers {
  readonly packages: Packages | string;
  readonly environments: Environments | string;
  /** The Python that programs run on, as a machine of their cluster says. When absent: that of the service. */
  readonly pythonOf?: ((nodes: readonly EngineNode[], signal: AbortSignal) => Promise<PythonTarget>) | undefined;
  /** The program cannot open files of the service, so that it gets its packages with the files of its run. When absent: it can. */
  readonly shipsPackages?: boolean;
}

/** Where packages with these paths are for the program, whose folder it is. */
export const placesOfPackages = (folder: string, jars: readonly string[]): readonly string[] =>
  jars.map((jar) => join(folder, suppliesFolder, basename(jar)));

/** Whether it is a list of packages, and no archive with them. */
const isList = ({ from }: NonNullable<Program['environment']>): boolean => from.endsWith('.txt');

/** Throws an Error with the remedy if the program cannot have its Python packages. */
export function checkEnvironment({ environment }: Program, { environments }: Suppliers): void {
  if (environment === undefined || !isList(environment) || typeof environments !== 'string') return;
  throw new Error(`${environment.from} names Python packages of an index: ${environments}`);
}

/** The file of the job that lists the Python packages of its program. Undefined if none does. */
export const requirementsOf = ({ environment }: Program): string | undefined =>
  environment !== undefined && isList(environment) ? environment.from : undefined;

/** Throws an Error with the remedy if the text of the file cannot be what the program needs. */
export function checkRequirements(file: string, text: string): void {
  try {
    readRequirements(text);
  } catch (cause) {
    throw new Error(`cannot use requirements ${file}: ${messageOf(cause)}`, { cause });
  }
}

interface Supplied {
  readonly program: Program;
  /** Packages that the program gets with its files. */
  readonly shipped: readonly string[];
}

interface SupplyOptions
  extends Pick<BringOptions, 'admit' | 'keep' | 'signal'>,
    Pick<Suppliers, 'environments' | 'pythonOf'> {
  readonly work: string;
  readonly incoming: string;
  /** The machines of the cluster. */
  readonly nodes: readonly EngineNode[];
}

/** The files of the job are there. Resolves to the paths of what was added. */
export async function supply({ program, shipped }: Supplied, options: SupplyOptions): Promise<readonly string[]> {
  const { work, signal } = options;
  const wanted = placesOfPackages(work, shipped).map((place, index) => [place, shipped[index] ?? ''] as const);
  const { environment } = program;
  if (environment !== undefined) wanted.push([join(work, environment.archive), await archiveOf(environment, options)]);
  for (const [place, from] of wanted) {
    signal.throwIfAborted();
    await add(from, place, options);
  }
  return wanted.map(([place]) => place);
}

async function archiveOf(
  environment: NonNullable<Program['environment']>,
  { work, environments, pythonOf, nodes, signal }: SupplyOptions,
): Promise<string> {
  const file = join(work, environment.from);
  if (!isList(environment) || typeof environments === 'string') return file;
  // It may pass that no machine answers.
  const python = await pythonOf?.(nodes, signal);
  try {
    return await environments.make(await textIn(file), signal, python);
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`cannot use requirements ${environment.from}: ${messageOf(cause)}`, { cause });
  }
}

/** The file appears when it is complete. */
async function add(from: string, place: string, { incoming, keep, admit }: SupplyOptions): Promise<void> {
  for (const folder of [dirname(place), dirname(incoming)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    await admit?.((await stat(from)).size);
    await copyFile(from, incoming, constants.COPYFILE_FICLONE);
    if (keep === undefined) renameSync(incoming, place);
    else keep(incoming, await digestIn(incoming), place);
  } catch (cause) {
    await rm(incoming, { force: true });
    throw cause;
  }
}
