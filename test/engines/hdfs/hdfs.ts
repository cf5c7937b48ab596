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

/** How a data node is reached, by the URL that the name node states. */
type Reach = (url: string) => Promise<string>;
const directly: Reach = async (url) => Promise.resolve(url);

/** Where a data node takes or gives the file. */
async function locate(page: string, path: string, operation: string, method: 'GET' | 'PUT'): Promise<string> {
  const answer = await fetch(hdfs(page, path, `${operation}&noredirect=true`), { method });
  const text = await answer.text();
  const { Location } = JSON.parse(text) as { readonly Location?: string };
  if (Location === undefined) throw new Error(`the name node answers ${operation} with ${answer.status}: ${text}`);
  return Location;
}

/** Writes a new file. `page`: of the name node. */
export async function writeFile(page: string, path: string, text: string, reach: Reach = directly): Promise<void> {
  expect(await put(await reach(await locate(page, path, 'CREATE', 'PUT')), text)).toBe(201);
}

/** The text of a file. */
export async function readFile(page: string, path: string, reach: Reach = directly): Promise<string> {
  return (await fetch(await reach(await locate(page, path, 'OPEN', 'GET')))).text();
}

interface Listing {
  readonly FileStatuses: { readonly FileStatus: readonly { readonly pathSuffix: string }[] };
}

/** The text of all files that a job has made in a folder. */
export async function readFolder(page: string, path: string): Promise<string> {
  const { FileStatuses } = (await (await fetch(hdfs(page, path, 'LISTSTATUS'))).json()) as Listing;
  const names = FileStatuses.FileStatus.map(({ pathSuffix }) => pathSuffix).filter((name) => /^[^._]/.test(name));
  return (await Promise.all(names.map((name) => readFile(page, `${path}/${name}`)))).join('');
}
