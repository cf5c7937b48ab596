// Reads the files that `run` applies.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readDocuments } from '../../kube/yaml/documents.ts';
import { codeOf } from '../../lib/errors.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { KubeObject } from '../objects.ts';

/** The objects that kubectl reads from these files. Rejects with UsageError. */
export async function readManifests(paths: readonly string[], signal: AbortSignal): Promise<readonly KubeObject[]> {
  const files = (await Promise.all(paths.map(filesIn))).flat();
  return (await Promise.all(files.map((file) => readObjects(file, signal)))).flat();
}

/** Of a folder, the files that kubectl would apply. */
async function filesIn(path: string): Promise<readonly string[]> {
  const isFolder = path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) return [path];
  const names = (await readdir(path).catch(unreadable(path))).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

async function readObjects(file: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const bytes = file === '-' ? buffer(addAbortSignal(signal, process.stdin)) : readFile(file);
  return documentsIn(textOf(await bytes.catch(unreadable(file))), file)
    .filter((value) => value !== null)
    .flatMap((value) => itemsOf(value as KubeObject))
    .map((value) => checked(value, file));
}

/** UTF-8, unless it begins with the mark of UTF-16, which Windows PowerShell writes. */
function textOf(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(bytes);
}

function documentsIn(text: string, file: string): readonly unknown[] {
  try {
    return readDocuments(text);
  } catch (error) {
    throw new UsageError(`${file} is not valid`, { cause: error });
  }
}

/** kubectl applies the items of a list one by one. */
function itemsOf(value: KubeObject & { readonly items?: unknown }): readonly KubeObject[] {
  return Array.isArray(value.items) ? (value.items as readonly KubeObject[]) : [value];
}

function unreadable(file: string) {
  return (error: unknown) => {
    // The code alone: the message of the system repeats the path.
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? codeOf(error) : String(error)}`);
  };
}

function checked(value: KubeObject | null, file: string): KubeObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new UsageError(`${file}: an object without apiVersion or kind`);
  const { name, namespace, generateName } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  if (namespace !== undefined && typeof namespace !== 'string')
    throw new UsageError(`${file}: metadata.namespace of the ${kind} must be text`);
  if (typeof name === 'string') return value as KubeObject;
  const why = generateName === undefined ? '' : 'generateName is not supported: ';
  throw new UsageError(`${file}: ${why}give metadata.name to the ${kind}`);
}

export function theExecution(objects: readonly KubeObject[]): KubeObject {
  const executions = objects.filter(({ kind }) => kind === 'JobExecution');
  const [run] = executions;
  if (run === undefined || executions.length > 1)
    throw new UsageError(`give exactly one JobExecution: the files have ${executions.length}`);
  return run;
}
