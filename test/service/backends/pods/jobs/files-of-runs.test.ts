// What runs in pods keep on the disk: one copy of each content, nothing once it is not needed, and nothing of what failed.
import { createHash } from 'node:crypto';
import nodeFs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { PodJobs, type PodJobsOptions } from '../../../../../src/service/backends/pods/jobs/pod-jobs.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { anyRoom, Volume } from '../../../../../src/service/model/disk/volume.ts';
import { findVolumeProblem, smallVolume } from '../../../support/small-volume.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

function open() {
  const root = mkdtempSync(join(tmpdir(), 'files-of-runs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { root, runs: new PodRuns(root), copies: () => readdirSync(join(root, '.contents')) };
}

/** The run gets a file, as it arrives. */
function bring(runs: PodRuns, run: string, text: string, name = 'main.jar'): void {
  const { incoming, work, folder } = runs.paths(run);
  mkdirSync(folder, { recursive: true });
  writeFileSync(incoming, text);
  runs.contents.place(incoming, createHash('sha256').update(text).digest('hex'), join(work, name));
  runs.publish(run, [name], { templates: new Set(), placeholder: '' });
  runs.token(run, () => 'token');
}

const fileOf = (runs: PodRuns, run: string) => join(runs.paths(run).work, 'main.jar');

test('runs with the same file share one copy, which the last of them frees', () => {
  const { runs, copies } = open();
  for (const run of ['a', 'b', 'c']) bring(runs, run, 'the same');
  bring(runs, 'other', 'another');
  expect(copies()).toHaveLength(2);
  expect(new Set(['a', 'b', 'c'].map((run) => statSync(fileOf(runs, run)).ino)).size).toBe(1);
  expect(runs.start('a')).toBe(true);
  runs.bar('b');
  expect(copies()).toHaveLength(2);
  expect(readFileSync(fileOf(runs, 'c'), 'utf8')).toBe('the same');
  runs.remove('c');
  expect(copies()).toHaveLength(1);
});

test('a run that is submitted again replaces its file', () => {
  const { runs, copies } = open();
  bring(runs, 'a', 'first');
  bring(runs, 'a', 'second');
  expect(readFileSync(fileOf(runs, 'a'), 'utf8')).toBe('second');
  runs.contents.collect();
  expect(copies()).toHaveLength(1);
});

test.each([
  ['starts', (runs: PodRuns) => void runs.start('a')],
  ['is killed', (runs: PodRuns) => void runs.bar('a')],
  ['ends before it starts', (runs: PodRuns) => runs.release('a')],
])('a run that %s keeps no files, but its output and its position', async (_what, decide) => {
  const { runs } = open();
  bring(runs, 'a', 'bytes');
  const { output, work, files, incoming } = runs.paths('a');
  writeFileSync(incoming, 'a part');
  mkdirSync(output);
  writeFileSync(join(output, '0'), 'printed');
  await runs.keepLogPosition('a', { time: '0', lines: 1, total: 7 });
  expect(runs.bytes('a')).toBe(18);
  decide(runs);
  expect([work, files, incoming].map((path) => existsSync(path))).toEqual([false, false, false]);
  expect(readFileSync(join(output, '0'), 'utf8')).toBe('printed');
  expect(runs.logPosition('a')).toBeDefined();
  expect(runs.bytes('a')).toBe(7);
});

test('a start removes what was on its way, copies that nobody has, and files of runs that are decided', () => {
  const { root, runs, copies } = open();
  bring(runs, 'waits', 'needed');
  bring(runs, 'started', 'not needed');
  const { folder, incoming } = runs.paths('waits');
  // As an earlier release, or a power loss, has left it.
  writeFileSync(join(runs.paths('started').folder, 'decision'), 'started');
  writeFileSync(incoming, 'a part');
  writeFileSync(join(folder, 'decision.new'), 'sta');
  writeFileSync(join(root, '.contents', 'f'.repeat(64)), 'of nobody');
  new PodRuns(root).sweep();
  expect(readdirSync(folder).toSorted((one, other) => one.localeCompare(other))).toEqual([
    'files.json',
    'token',
    'work',
  ]);
  expect(existsSync(runs.paths('started').work)).toBe(false);
  expect(copies()).toHaveLength(1);
  expect(readFileSync(fileOf(runs, 'waits'), 'utf8')).toBe('needed');
});

test('a run that is being removed is found again after a kill or a failure, and removed as a whole', () => {
  const { root, runs, copies } = open();
  bring(runs, 'a', 'bytes');
  runs.forget('a', 'data');
  const seen: unknown[] = [];
  const watch = vi.spyOn(nodeFs, 'fsyncSync').mockImplementation((file) => {
    seen.push(readdirSync(`/proc/self/fd/${file}`));
    throw new Error('EIO');
  });
  onTestFinished(() => watch.mockRestore());
  // Nothing of it is removed before its new name is durable.
  for (let tries = 0; tries < 2; tries += 1) expect(() => runs.remove('a')).toThrow('EIO');
  expect(seen).toEqual([
    ['.contents', '.gone-a'],
    ['.contents', '.gone-a'],
  ]);
  expect(existsSync(join(root, '.gone-a', 'token'))).toBe(true);
  watch.mockRestore();
  // As a kill leaves it which comes while its files are removed.
  rmSync(join(root, '.gone-a', 'forgotten'));
  const next = new PodRuns(root);
  expect([next.forgotten, next.gone]).toEqual([[], ['a']]);
  const after = new PodJobs({ runs: next, log: quiet, clock: systemClock } as unknown as PodJobsOptions);
  after.close();
  expect([readdirSync(root), copies(), next.gone]).toEqual([['.contents'], [], []]);
});

test('the files of a run are durable in their folders, each synchronized once, before the list names them', () => {
  const { runs } = open();
  const names = ['main.jar', 'more.jar', 'supplies/one.jar', 'supplies/two.jar', 'deep/er/three.jar'];
  const { incoming, work, folder, files } = runs.paths('a');
  mkdirSync(folder);
  for (const name of names) {
    writeFileSync(incoming, name);
    runs.contents.place(incoming, createHash('sha256').update(name).digest('hex'), join(work, name));
  }
  const seen: string[] = [];
  const sync = nodeFs.fsyncSync;
  const watch = vi.spyOn(nodeFs, 'fsyncSync').mockImplementation((file) => {
    seen.push(`${existsSync(files)} ${relative(folder, readlinkSync(`/proc/self/fd/${file}`))}`);
    sync(file);
  });
  onTestFinished(() => watch.mockRestore());
  runs.publish('a', names, { templates: new Set(), placeholder: '' });
  const folders = ['work', 'work/supplies', 'work/deep/er', 'work/deep'].map((each) => `false ${each}`);
  expect(seen).toEqual([...folders, 'false files.json.new', 'true ']);
});

test('an empty decision, as earlier releases could leave it, counts as a start', () => {
  const { runs } = open();
  bring(runs, 'a', 'bytes');
  writeFileSync(runs.paths('a').decision, '');
  expect([runs.decision('a'), runs.start('a'), runs.bar('a')]).toEqual(['started', false, 'started']);
});

const problem = findVolumeProblem();
if (problem !== undefined) console.warn(`The tests of a full volume are skipped: ${problem}`);

test.skipIf(problem !== undefined)(
  'on a full volume a permit is refused without a trace, and can be asked for again',
  () => {
    const small = smallVolume('4m');
    const runs = new PodRuns(small.folder, { room: anyRoom });
    bring(runs, 'a', 'bytes');
    small.fill();
    expect(() => runs.start('a')).toThrow('ENOSPC');
    expect(readdirSync(runs.paths('a').folder).filter((name) => name.startsWith('decision'))).toEqual([]);
    small.empty();
    expect([runs.start('a'), runs.start('a'), runs.decision('a')]).toEqual([true, false, 'started']);
  },
);

test.skipIf(problem !== undefined)(
  'on a full volume without a reserve, a kill and a deletion take the room of what they remove',
  () => {
    const small = smallVolume('4m');
    const runs = new PodRuns(small.folder, { room: anyRoom });
    for (const run of ['waits', 'started']) bring(runs, run, 'bytes');
    expect(runs.start('started')).toBe(true);
    small.fill();
    expect(runs.bar('waits')).toBe('killed');
    expect([runs.start('waits'), runs.bar('started')]).toEqual([false, 'started']);
    small.fill();
    runs.forget('started', 'data');
    expect([runs.isForgotten('started'), runs.namespaceOfForgotten('started')]).toEqual([true, 'data']);
  },
);

test.skipIf(problem !== undefined)(
  'on a full volume, what a run leaves is reserved before anybody else can take it',
  () => {
    const small = smallVolume('8m');
    const reserve = join(small.folder, 'reserve');
    const room = new Volume({ reserve, log: quiet });
    const runs = new PodRuns(join(small.folder, 'runs'), { room });
    bring(runs, 'a', 'x'.repeat(100_000));
    rmSync(reserve);
    small.fill();
    runs.remove('a');
    expect([statSync(reserve).size > 100_000, small.free()]).toEqual([true, 0]);
  },
);

test.skipIf(problem !== undefined)('on a full volume the position of the output stays as it was', async () => {
  const small = smallVolume('4m');
  const runs = new PodRuns(small.folder, { room: anyRoom });
  bring(runs, 'a', 'bytes');
  const position = { time: '0', lines: 1, total: 7 };
  await runs.keepLogPosition('a', position);
  small.fill();
  await expect(runs.keepLogPosition('a', { ...position, total: 8 })).rejects.toThrow('ENOSPC');
  expect(runs.logPosition('a')).toEqual(position);
});

test.each(['', '[{"path":"a"', 'null', '"text"'])(
  'a list of files that a crash has left as %j counts as none',
  (left) => {
    const { runs } = open();
    bring(runs, 'a', 'bytes');
    writeFileSync(runs.paths('a').files, left);
    expect(runs.files('a')).toBeUndefined();
  },
);

test('a namespace that a crash has left empty counts as unknown', () => {
  const { runs } = open();
  for (const run of ['a', 'b']) {
    runs.make(run, 'data');
    writeFileSync(runs.paths(run).forgotten, '');
  }
  expect([runs.namespace('a'), runs.namespaceOfForgotten('a')]).toEqual(['data', 'data']);
  writeFileSync(runs.paths('b').where, '');
  expect([runs.namespace('b'), runs.namespaceOfForgotten('b')]).toEqual([undefined, undefined]);
  expect(runs.forgotten).toEqual(['a', 'b']);
});
