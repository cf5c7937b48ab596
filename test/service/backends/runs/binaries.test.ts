// The files of a job: where they may come from, and how they arrive.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGuardedDownload } from '../../../../src/lib/fetch/guarded.ts';
import { systemClock, systemDownload } from '../../../../src/lib/system.ts';
import { bring } from '../../../../src/service/backends/runs/binaries.ts';
import { mostBytes, type Transfer } from '../../../../src/service/backends/runs/transfer.ts';
import { openJobs, orderOf, script } from '../processes/jobs/job-scene.ts';

/** A folder for job files with a file in it, and another file beside the folder. */
function scene() {
  const root = mkdtempSync(join(tmpdir(), 'binaries-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const allowed = join(root, 'allowed');
  mkdirSync(allowed);
  writeFileSync(join(allowed, 'main.sh'), 'exit 0');
  writeFileSync(join(root, 'secret'), 'hunter2');
  symlinkSync(join(root, 'secret'), join(allowed, 'link'));
  mkdirSync(join(allowed, 'folder'));
  mkdirSync(join(root, 'allowed-too'));
  writeFileSync(join(root, 'allowed-too', 'file'), 'hunter2');
  const to = join(root, 'run', 'main.sh');
  const reading = {
    jobFiles: allowed,
    hdfs: undefined,
    signal: new AbortController().signal,
    clock: systemClock,
    get: systemDownload,
  };
  const read = (
    url: string,
    given: Partial<Parameters<typeof bring>[1] & typeof reading & Pick<Transfer, 'admit'>> = {},
  ) =>
    bring(
      to,
      { id: '1', name: 'main.sh', url, extra: {}, size: undefined, read: () => undefined, ...given },
      { ...reading, ...given },
    );
  return { root, allowed, to, read };
}

test('a file below the folder of job files is copied, for the user of the service only', async () => {
  const { allowed, to, read } = scene();
  await read(`file://${allowed}/main.sh`);
  expect(readFileSync(to, 'utf8')).toBe('exit 0');
  expect(statSync(join(to, '..')).mode & 0o077).toBe(0);
});

test.each([
  ['secret', 'is not below'],
  ['allowed/../secret', 'is not below'],
  ['allowed/link', 'is not below'],
  ['allowed-too/file', 'is not below'],
  ['allowed/nothing', 'there is no file'],
  ['allowed/folder', 'is not a plain file'],
])('the file %s is refused: it %s', async (path, why) => {
  const { root, read, to } = scene();
  await expect(read(`file://${root}/${path}`)).rejects.toThrow(why);
  expect(existsSync(to)).toBe(false);
});

test.each([
  ['http://127.0.0.1:8081/main.sh', {}],
  ['https://127.0.0.1:8081/main.sh', {}],
  ['http://169.254.169.254/latest/meta-data/', {}],
  ['s3a://jobs/main.sh', { accesskey: 'a', secretkey: 'b', endpoint: 'http://169.254.169.254' }],
])('a file at %s that the service must not fetch is refused with the binary and the remedy', async (url, extra) => {
  const { read, to } = scene();
  await expect(read(url, { extra, get: createGuardedDownload({ allowed: [], denied: [] }) })).rejects.toThrow(
    'cannot read job binary main.sh: its url, endpoint or a redirect leads to an address of this service or its cluster, to a private one about which the DNS server of the cluster cannot say what it is, or to a link-local one: upload the file, or start the service with --allow-fetch-from and its network',
  );
  expect(existsSync(to)).toBe(false);
});

test('without a folder of job files, no file can be read', async () => {
  const { allowed, to } = scene();
  const binary = { ...script(''), url: `file://${allowed}/main.sh` };
  const { create } = openJobs();
  await expect(create().submit(orderOf(binary))).rejects.toThrow(
    'cannot read job binary main.sh: files of this computer are not allowed: start the service with --job-files FOLDER',
  );
  expect(existsSync(to)).toBe(false);
});

test('a binary that the service stores has to be there', async () => {
  const { read } = scene();
  await expect(read('internal-db://1')).rejects.toThrow('its bytes were deleted: upload them again');
});

test.each(['swift', 'manila'])('%s is refused with what can be used', async (scheme) => {
  const { read } = scene();
  await expect(read(`${scheme}://c/o`)).rejects.toThrow(
    `${scheme}: is not supported here: upload it, or use a URL with file:, hdfs:, http:, https: or s3a:`,
  );
});

/** A server that answers with `bytes`, and notes the requests. */
async function serving(status: number, bytes: string) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, answer) => {
    requests.push(request);
    answer.writeHead(status).end(bytes);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => void server.on('listening', resolve));
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/main.sh` };
}

test('a URL that cannot be reached is named with the cause, and without what may be a signature', async () => {
  const { read } = scene();
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/main.sh`;
  await new Promise((resolve) => void server.close(resolve));
  const reading = read(`${url}?signature=hunter2`);
  await expect(reading).rejects.toThrow(
    `cannot read job binary main.sh: the request to ${url} failed: connect ECONNREFUSED`,
  );
  await expect(reading).rejects.not.toThrow('hunter2');
});

test('a URL is fetched, with the login in a header only', async () => {
  const { read, to } = scene();
  const { requests, url } = await serving(200, 'exit 3');
  await read(url, { extra: { user: 'me', password: 'hunter2' } });
  expect(readFileSync(to, 'utf8')).toBe('exit 3');
  expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:hunter2').toString('base64')}`);
  expect(requests[0]?.url).toBe('/main.sh');
});

test('a URL that does not answer well is refused', async () => {
  const { read, to } = scene();
  const { url } = await serving(403, 'no');
  await expect(read(url)).rejects.toThrow(`cannot read job binary main.sh: ${url} answers with 403`);
  expect(existsSync(to)).toBe(false);
});

test('a message about a URL does not have its query, which can be a signature', async () => {
  const { read } = scene();
  const { url } = await serving(403, 'no');
  const failed = await read(`${url}?signature=open-sesame#open-sesame`).catch((error: unknown) => String(error));
  expect(failed).toMatch(new RegExp(`main.sh: ${url} answers with 403$`));
});

test.each(['https://ann:open-sesame@host/a.py', 'http://open-sesame@host', 's3a://KEY:open-sesame@bucket/a.jar'])(
  'a URL with a user or a password is refused without its text: %s',
  async (url) => {
    const failed = await scene()
      .read(url)
      .catch((error: unknown) => String(error));
    expect(failed).toMatch(/url has a user or a password, which everybody can read there: set them in extra$/);
  },
);

test('nothing is left of a file that breaks off', async () => {
  const { to, read } = scene();
  const get = async () => ({
    status: 200,
    bytes: (async function* () {
      yield Buffer.from('a part');
      throw new Error('it broke off');
    })(),
  });
  await expect(read('https://host/main.sh', { get })).rejects.toThrow('it broke off');
  expect(readdirSync(join(to, '..'))).toEqual([]);
});

test('bytes that the service stores are read once they are admitted', async () => {
  const { read } = scene();
  const steps: string[] = [];
  const bytes = Buffer.from('echo done');
  const stored = {
    size: bytes.length,
    read() {
      steps.push('read');
      return bytes;
    },
  };
  const admit = async (size: number) => void steps.push(`admit ${size}`);
  await read('internal-db://ea34d320-09d7-4dc1-acbf-75b57cec81c9', { ...stored, admit });
  expect(steps).toEqual([`admit ${bytes.length}`, 'read', 'admit 0']);
});

test('a file that is too large is refused before it is copied', async () => {
  const { allowed, read, to } = scene();
  const file = join(allowed, 'large');
  writeFileSync(file, '');
  truncateSync(file, mostBytes + 1);
  await expect(read(`file://${file}`)).rejects.toThrow(`it is larger than ${mostBytes} bytes`);
  expect(existsSync(to)).toBe(false);
});

describe('a digest in extra', () => {
  const sha256 = createHash('sha256').update('exit 0').digest('hex');

  test('is compared with that of the file, wherever it comes from', async () => {
    const { allowed, read, to } = scene();
    await read(`file://${allowed}/main.sh`, { extra: { sha256: sha256.toUpperCase() } });
    expect(readFileSync(to, 'utf8')).toBe('exit 0');
    const { url } = await serving(200, 'exit 1');
    rmSync(to);
    const stored = { read: () => Buffer.from('exit 1') };
    for (const [from, more] of [
      [url, {}],
      ['internal-db://1', stored],
    ] as const)
      await expect(read(from, { extra: { sha256 }, ...more })).rejects.toThrow(`sha256 in its extra is ${sha256}: use`);
    expect(existsSync(to)).toBe(false);
  });

  test('that is none is refused', async () => {
    const { allowed, read } = scene();
    await expect(read(`file://${allowed}/main.sh`, { extra: { sha256: 12 } })).rejects.toThrow(
      'cannot read job binary main.sh: sha256 in its extra is no SHA-256',
    );
  });
});

test.each([{}, { name: 'other.sh', file_name: 'main.sh' }])('two files with one name are refused', async (given) => {
  const { create } = openJobs();
  const other = { ...script('', 'main.sh'), id: 'other', ...given };
  const order = orderOf(script('exit 0'), { libs: [other] });
  await expect(create().submit(order)).rejects.toThrow(
    'two files of the job are called main.sh: change the name of one, or file_name in its extra (content.fileName of a JobBinary)',
  );
});

test.each(['..', 'a/b', '.s3-credentials', 'a\0', '', 'a'.repeat(254)])(
  'a file name that leads elsewhere is refused: %j',
  async (file_name) => {
    const { create } = openJobs();
    const order = orderOf(script('exit 0'), { libs: [{ ...script('', 'lib'), file_name }] });
    await expect(create().submit(order)).rejects.toThrow('file_name in its extra must consist of letters, digits');
  },
);
