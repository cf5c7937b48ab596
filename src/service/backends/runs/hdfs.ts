// Files in the HDFS of a cluster, through the REST interface of its name node.

import { messageOf } from '../../../lib/errors.ts';
import { parseAnswer } from '../../../lib/http/bounded.ts';
import { shownUrl } from '../../../wire/jobs.ts';
import type { Hdfs } from '../../engines/engine.ts';
import { Transient } from '../../model/disk/transient.ts';
import { ask, mostBytes, save, type TextAnswer, type Transfer } from './transfer.ts';

/** The path that the URL names in this HDFS, which is the one of a URL without a host. Undefined if it names another one. */
export function pathIn({ authority, user }: Hdfs, url: string): string | undefined {
  const [, host = '', path = ''] = /^(?:hdfs:(?:\/\/([^/]*))?)?(.*)$/is.exec(url) ?? [];
  if (host !== '' && host !== authority && host !== authority.replace(/:8020$/, '')) return undefined;
  if (path === '') return '/';
  return path.startsWith('/') ? path : `/user/${user}/${path}`;
}

/** The path with its file system, which means the same to every program. */
export const urlIn = ({ authority }: Hdfs, path: string): string => `hdfs://${authority}${path}`;

/** Whether there is something at the path. Undefined if it stands for several. Rejects with `Transient` if nothing answers. */
export async function existsIn(hdfs: Hdfs, path: string, transfer: Transfer): Promise<boolean | undefined> {
  if (/[*?[\]{},]/.test(path)) return undefined;
  return (await statusOf(hdfs, path, transfer)) !== undefined;
}

/** The path of a file in the HDFS of the cluster. Throws an Error with the remedy if the URL names another one. */
export function ownPath(hdfs: Hdfs | undefined, url: string): { readonly hdfs: Hdfs; readonly path: string } {
  const path = hdfs && pathIn(hdfs, url);
  if (hdfs !== undefined && path !== undefined) return { hdfs, path };
  const remedy = hdfs === undefined ? 'it has none: upload it' : 'use hdfs:///PATH for what is, or upload it';
  throw new Error(`${shownUrl(url)} is not in the HDFS of its cluster: ${remedy}`);
}

/** Writes the file of HDFS to this computer. Throws an Error with the remedy if there is none. */
export async function saveFrom(own: Hdfs | undefined, url: string, to: string, transfer: Transfer): Promise<void> {
  const { hdfs, path } = ownPath(own, url);
  const status = await statusOf(hdfs, path, transfer);
  if (status === undefined) throw new Error(`there is no file ${path} in HDFS: write it first, or correct the url`);
  if (status.type !== 'FILE') throw new Error(`${path} in HDFS is no file: name one`);
  if (Number(status.length) > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
  const answer = await request(hdfs, path, 'OPEN&noredirect=true', transfer);
  if (answer.status !== 200) throw refused(answer);
  await save(to, { url: dataUrl(hdfs, answer.text), shown: 'the data node' }, transfer);
}

interface FileStatus {
  readonly type?: unknown;
  readonly length?: unknown;
}

/** Undefined if there is nothing at the path. */
async function statusOf(hdfs: Hdfs, path: string, transfer: Transfer): Promise<FileStatus | undefined> {
  const answer = await request(hdfs, path, 'GETFILESTATUS', transfer);
  if (answer.status === 404) return undefined;
  const status = answer.status === 200 ? field(answer.text, 'FileStatus') : undefined;
  if (typeof status === 'object' && status !== null) return status;
  throw refused(answer);
}

async function request({ page, user }: Hdfs, path: string, operation: string, transfer: Transfer): Promise<TextAnswer> {
  // A path is plain text, which can contain what has a meaning in URLs.
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  try {
    const url = `${page}/webhdfs/v1${encoded}?op=${operation}&user.name=${encodeURIComponent(user)}`;
    return await ask({ url }, transfer);
  } catch (cause) {
    transfer.signal.throwIfAborted();
    throw new Transient(`the HDFS of its cluster does not answer: ${messageOf(cause)}`, { cause });
  }
}

/** Data comes from a data node of the same cluster only, whatever the answer names. */
function dataUrl({ dataNodes }: Hdfs, text: string): string {
  const location = field(text, 'Location');
  const url = typeof location === 'string' ? URL.parse(location) : null;
  if (url?.protocol === 'http:' && dataNodes.includes(url.host)) return url.href;
  throw new Error('HDFS names no data node of its cluster: see the log of the name node');
}

function refused({ status, text }: TextAnswer): Error {
  const problem = field(text, 'RemoteException') as { readonly message?: unknown } | null | undefined;
  const [why] = typeof problem?.message === 'string' ? problem.message.split('\n') : [];
  return new Error(`HDFS answers with ${status}${why === undefined ? '' : `: ${why.slice(0, 300)}`}`);
}

/** A field of JSON. Undefined if the text is something else. */
function field(text: string, name: string): unknown {
  try {
    const value = parseAnswer(text);
    return (value as Readonly<Record<string, unknown>> | null)?.[name];
  } catch {
    return undefined;
  }
}
