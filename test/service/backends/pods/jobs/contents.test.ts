// The copies that runs share, on a file system that allows few links to each file.
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Contents } from '../../../../../src/service/backends/pods/jobs/contents.ts';

const mostLinks = 3;

function linkFew(existing: Parameters<typeof linkSync>[0], made: Parameters<typeof linkSync>[1]): void {
  if (statSync(existing).nlink >= mostLinks) throw Object.assign(new Error('too many links'), { code: 'EMLINK' });
  linkSync(existing, made);
}

test('another copy begins when one can have no more links, and each goes with its last run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contents-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copies = join(folder, '.contents');
  const contents = new Contents(copies, linkFew);
  const placeOf = (run: number) => join(folder, `run-${run}`, 'job.jar');
  for (let run = 1; run <= 5; run += 1) {
    writeFileSync(join(folder, 'incoming'), 'jar');
    contents.place(join(folder, 'incoming'), 'digest', placeOf(run));
    expect(readFileSync(placeOf(run), 'utf8')).toBe('jar');
  }
  expect(readdirSync(folder)).not.toContain('incoming');
  expect(readdirSync(copies).map((name) => [name, statSync(join(copies, name)).nlink])).toEqual([
    ['digest', 3],
    ['digest.1', 3],
    ['digest.2', 2],
  ]);
  for (const run of [3, 4]) rmSync(placeOf(run));
  contents.collect();
  expect(readdirSync(copies)).toEqual(['digest', 'digest.2']);
});
