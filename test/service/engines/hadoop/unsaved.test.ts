// What `hdfs fsck` of Hadoop 3.5 reports on all blocks, and what would be lost with the machines that leave.
import { expect, test } from 'vitest';
import { findUnsaved } from '../../../../src/service/engines/hadoop/unsaved.ts';

const page = 'http://127.77.1.1:9870';

type Replica = readonly [port: number, state: string];
const replicasOf = (replicas: readonly Replica[]) =>
  ` [${replicas.map(([port, state]) => `DatanodeInfoWithStorage[127.0.0.1:${port},DS-7dc0606f,DISK](${state})`).join(', ')}]`;
const blockLine = (number: number, rest: string) =>
  `0. BP-1222040627-127.0.0.1-1795883388461:blk_${number}_1001 len=4 ${rest}`;

const closed = (path: string, ...replicas: readonly Replica[]) => `
${path} 4 bytes, replicated: replication=1, 1 block(s):  OK
${blockLine(1, `Live_repl=1 ${replicasOf(replicas)}`)}
`;
const open = (path: string, ...replicas: readonly Replica[]) => `
${path} 4 bytes, replicated: replication=1, 1 block(s), OPENFORWRITE:  OK

Under Construction Block:
${blockLine(2, `Expected_repl=${replicas.length} ${replicasOf(replicas)}`)}`;
const missing = (path: string) => `
${path} 4 bytes, replicated: replication=1, 1 block(s):  MISSING 1 blocks of total size 4 B
${blockLine(3, 'MISSING!')}
`;
const end = `

Status: HEALTHY
 Number of data-nodes:	3
FSCK ended at Sat Nov 28 16:50:19 UTC 2026 in 21 milliseconds


The filesystem under path '/' is HEALTHY`;

const reportOf = (...files: readonly string[]) =>
  `FSCK started by root (auth:SIMPLE) from /127.0.0.1 for path / at Sat Nov 28 16:50:19 UTC 2026\n\n/ <dir>${files.join('')}${end}`;

/** `reports`: those of the first look, of the second one, and so on. The last one is repeated. */
async function find(isLive: boolean, ...reports: readonly string[]) {
  const urls: string[] = [];
  const found = await findUnsaved(page, { user: 'a b', isLive }, async (url, onLine) => {
    const report = reports[Math.min(urls.length, reports.length - 1)] ?? '';
    urls.push(url);
    for (const line of report.split('\n')) onLine(line);
  });
  return { found, urls };
}

const [leaving, stays]: readonly [Replica, Replica] = [
  [9902, 'DECOMMISSIONED'],
  [9903, 'LIVE'],
];

test('nothing is lost if each block has a replica that stays, which two looks have to find', async () => {
  const report = reportOf(closed('/a', leaving, stays), open('/b', leaving, stays), open('/c', stays), missing('/d'));
  expect(await find(true, report)).toEqual({
    found: undefined,
    urls: Array(2).fill(`${page}/fsck?ugi=a%20b&path=/&files=1&blocks=1&openforwrite=1&replicadetails=1`),
  });
  const renamed = reportOf(closed('/z', leaving));
  expect((await find(true, report, renamed)).found).toContain('/z');
});

test.each([
  [
    'an open file',
    open('/a b', leaving),
    '/a b (open): the programs that write what is open cannot close it now: end them, and run hdfs debug recoverLease',
  ],
  ['an open file on machines that all leave', open('/a', leaving, [9904, 'DECOMMISSIONING']), '/a (open): '],
  ['an open file whose other machine is not heard', open('/a', [9903, 'STALE_NODE'], leaving), '/a (open): '],
  ['a file that was closed just now', closed('/logs/a', leaving), /blocks of \/logs\/a$/],
  ['one among others', closed('/b', stays) + open('/a', leaving) + closed('/c', stays), 'of /a (open): '],
  ['a name with control characters', open('/\u001b[2Ja', leaving), 'of /?[2Ja (open): '],
  ['a long name', open(`/${'x'.repeat(8000)}`, leaving), `of /${'x'.repeat(119)} (open): `],
  [
    'more files than can be named',
    [1, 2, 3, 4, 5].map((n) => closed(`/${n}`, leaving)).join(''),
    '/1, /2, /3 and 2 more',
  ],
])('%s would be lost', async (_what, files, message) => {
  const { found } = await find(true, reportOf(files));
  expect(found).toMatch(message);
  expect(found).toContain('no other machine has all blocks of ');
});

test('with a dead data node everything is lost that is on no live one', async () => {
  const { found } = await find(false, reportOf(missing('/a'), open('/b'), closed('/c', [9904, 'DECOMMISSIONING'])));
  expect(found).toBe(
    'its data node is dead, and no other machine has all blocks of /a, /b (open), /c: end its process or delete its pod if it hangs, so that it starts again, or delete these files',
  );
  expect((await find(false, reportOf(closed('/a', stays)))).found).toBeUndefined();
});

test('names that look like lines of the report hide nothing', async () => {
  const forged = `/a\n${blockLine(2, `Expected_repl=1 ${replicasOf([stays])}`)}\nThe filesystem under path '/' is HEALTHY`;
  expect((await find(true, reportOf(open(forged, leaving)))).found).toContain('no other machine has all blocks of ');
  const cut = reportOf(closed(forged, stays)).replace(end, '');
  await expect(find(true, cut)).rejects.toThrow('the name node does not report on all blocks');
});

test.each([
  ['nothing', ''],
  ['an end that is missing', reportOf(closed('/a', stays)).slice(0, -10)],
  ['a failure', `${reportOf().replace(end, '')}\nPermission denied: user=a b\n\n\nFsck on path '/' FAILED`],
])('%s does not count as safe', async (_what, report) => {
  await expect(find(true, report)).rejects.toThrow('the name node does not report on all blocks');
});
