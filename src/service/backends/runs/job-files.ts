// Files of this computer that jobs can use: those below one folder.
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkNul } from '../../model/texts.ts';

/** The real path of the folder. Throws an Error with the remedy if there is none. */
export function rootOf(jobFiles: string | undefined): string {
  if (jobFiles !== undefined) return realpathSync(jobFiles);
  throw new Error('files of this computer are not allowed: start the service with --job-files FOLDER');
}

/** Throws an Error with the remedy if no file has such a path. */
function pathOf(url: string): string {
  const path = fileURLToPath(url);
  checkNul('the path of the url', path);
  return path;
}

/** The real path of what is below the folder. Throws an Error with the remedy for anything else. */
export function allowedPath(url: string, jobFiles: string | undefined): string {
  const root = rootOf(jobFiles);
  const path = pathOf(url);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new Error(`there is no file ${path}`);
  }
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error(`${path} is not below ${root}, the folder of --job-files: move it there`);
  return real;
}

/** The real path of a plain file below the folder. Throws an Error with the remedy for anything else, and for a larger one. */
export function allowedFile(url: string, jobFiles: string | undefined, mostBytes: number): string {
  const path = allowedPath(url, jobFiles);
  const found = statSync(path);
  if (!found.isFile()) throw new Error(`${path} is not a plain file`);
  if (found.size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
  return path;
}

/** Whether there is something, be it a link that leads nowhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The URL of an output, and whether it exists. If it does not, it goes by the folder that it will be in, which can be the folder of job files itself. */
export function outputPlace(url: string, jobFiles: string | undefined): { url: string; exists: boolean } {
  const root = rootOf(jobFiles);
  const path = pathOf(url);
  if (isThere(path)) return { url: pathToFileURL(allowedPath(url, jobFiles)).href, exists: true };
  const parent = dirname(path);
  const isRoot = isThere(parent) && realpathSync(parent) === root;
  if (!isRoot) allowedPath(pathToFileURL(parent).href, jobFiles);
  return { url, exists: false };
}
