// Writes the generated files, and reports which existing files differ from them.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Path below the root of the repository to content. */
export type Files = ReadonlyMap<string, string>;

async function contentOf(root: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** One line for each file below `root` that is missing or differs, and for each CRD without a definition. */
export async function differences(root: string, files: Files): Promise<readonly string[]> {
  const judged = [...files].map(async ([path, wanted]) => {
    const found = await contentOf(root, path);
    if (found === wanted) return [];
    return [`${path} ${found === undefined ? 'is missing' : 'differs'}`];
  });
  const crds = await readdir(join(root, 'crds')).catch(() => []);
  const strays = crds.map((name) => `crds/${name}`).filter((path) => !files.has(path));
  return [...(await Promise.all(judged)).flat(), ...strays.map((path) => `${path} belongs to no kind: delete it`)];
}

export async function write(root: string, files: Files): Promise<void> {
  const folders = [...files.keys()].map((path) => join(root, dirname(path)));
  await Promise.all(folders.map(async (folder) => mkdir(folder, { recursive: true })));
  await Promise.all([...files].map(async ([path, text]) => writeFile(join(root, path), text)));
}
