// Files in HDFS, through its REST interface.
import { request } from 'node:http';
import { expect } from 'vitest';

const hdfs = (page: string, path: string, operation: string) => `${page}/webhdfs/v1${path}?op=${operation}`;

/** A data node answers 100 without being asked, which `fetch` takes for a mistake. */
const put = (url: string, text: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(text);
  });

/** Writes a new file. `page`: of the name node. */
export async function writeFile(page: string, path: string, text: string): Promise<void> {
  const asked = await fetch(hdfs(page, path, 'CREATE&noredirect=true'), { method: 'PUT' });
  const { Location } = (await asked.json()) as { readonly Location: string };
  expect(await put(Location, text)).toBe(201);
}

/** The text of a file. */
export const readFile = async (page: string, path: string): Promise<string> =>
  (await fetch(hdfs(page, path, 'OPEN'))).text();

interface Listing {
  readonly FileStatuses: { readonly FileStatus: readonly { readonly pathSuffix: string }[] };
}

/** The text of all files that a job has made in a folder. */
export async function readFolder(page: string, path: string): Promise<string> {
  const { FileStatuses } = (await (await fetch(hdfs(page, path, 'LISTSTATUS'))).json()) as Listing;
  const names = FileStatuses.FileStatus.map(({ pathSuffix }) => pathSuffix).filter((name) => /^[^._]/.test(name));
  return (await Promise.all(names.map((name) => readFile(page, `${path}/${name}`)))).join('');
}
