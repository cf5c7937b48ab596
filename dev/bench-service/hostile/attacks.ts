// What two hostile tenants do to the memory of the service. Each attack resolves to how often each status was answered.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Statuses = Readonly<Record<string, number>>;

export const tenants = ['hostile', 'accomplice'] as const;
const uploadBytes = 5_000_000;
const uploads = 150;
const objects = 45_000;
/** With a character that makes V8 keep two bytes for each. */
const largeText = `Ā${'x'.repeat(900_000)}`;
/** More than there is memory for. */
const rowsAtMost = 1000;
const [listsUnread, listsRead, rowsUnread, smallUnread] = [200, 50, 300, 1000];
const settleMs = 2000;
const json = { 'content-type': 'application/json' };

function count(statuses: readonly (number | string)[]): Statuses {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The status of the answer, which is read to its end, or how the connection broke. */
async function statusOf(url: string, init: RequestInit = {}): Promise<number | string> {
  try {
    const answer = await fetch(url, init);
    for await (const part of answer.body ?? []) void part;
    return answer.status;
  } catch (error) {
    return String((error as { readonly cause?: { readonly code?: string } }).cause?.code ?? error);
  }
}

const repeat = <T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)));

export async function upload(url: string): Promise<Statuses> {
  const body = Buffer.alloc(uploadBytes, 'a');
  const put = (index: number) =>
    statusOf(`${url}/v1.1/${tenants[0]}/job-binary-internals/upload-${index}`, { method: 'PUT', body });
  return count(await repeat(uploads, put));
}

/** Bodies that are small as texts, and large as objects. */
export async function sendObjects(url: string): Promise<Statuses> {
  const body = `{"objects":[${'{},'.repeat(objects)}{}]}`;
  const post = () => statusOf(`${url}/v1.1/${tenants[0]}/data-sources`, { method: 'POST', headers: json, body });
  return count(await repeat(uploads, post));
}

/** Rows of both tenants, until they are refused. */
export async function fillRows(url: string): Promise<Statuses> {
  const statuses: (number | string)[] = [];
  for (const tenant of tenants)
    for (let index = 0, status: unknown = 202; index < rowsAtMost && status === 202; index += 1) {
      const body = JSON.stringify({ name: `row-${index}`, type: 'hdfs', url: '/data', description: largeText });
      status = await statusOf(`${url}/v1.1/${tenant}/data-sources`, { method: 'POST', headers: json, body });
      statuses.push(status as number | string);
    }
  return count(statuses);
}

/** Asks without reading more than the beginning of each answer. */
async function leaveUnread(url: string, paths: readonly string[]): Promise<Statuses> {
  const { hostname, port } = new URL(url);
  const statuses: string[] = [];
  const ask = (path: string): Socket => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      statuses.push(String(data).slice(9, 12));
      socket.pause();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    return socket;
  };
  const sockets = paths.map(ask);
  await pause(settleMs);
  for (const socket of sockets) socket.destroy();
  return count(statuses);
}

const times = (number: number, pathOf: (index: number) => string) =>
  Array.from({ length: number }, (_, i) => pathOf(i));
const listOf = (index: number) => `/v1.1/${tenants[index % 2]}/data-sources`;

export const leaveListsUnread = (url: string): Promise<Statuses> => leaveUnread(url, times(listsUnread, listOf));

export const readLists = async (url: string): Promise<Statuses> =>
  count(await repeat(listsRead, (index) => statusOf(url + listOf(index))));

export async function leaveRowsUnread(url: string): Promise<Statuses> {
  const answer = await fetch(`${url}/v1.1/${tenants[0]}/data-sources`);
  const { data_sources } = (await answer.json()) as { readonly data_sources: readonly { readonly id: string }[] };
  const path = (index: number) => `${listOf(0)}/${data_sources[index % data_sources.length]?.id}`;
  return leaveUnread(url, times(rowsUnread, path));
}

export const leaveSmallUnread = (url: string): Promise<Statuses> =>
  leaveUnread(
    url,
    times(smallUnread, () => `/v1.1/${tenants[0]}/job-binaries`),
  );
