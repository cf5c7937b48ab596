// The interface is kept with real clusters, too, in each dialect.
import { describe, expect, test } from 'vitest';
import { pigSource } from '../../src/service/engines/hadoop/jobs/pig.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { runContract } from '../contract/command.ts';
import { findEngine } from './engines.ts';
import { leftIn, openScene } from './support.ts';

const spark = findEngine(sparkSource);
/** So many tests are about jobs of Pig, which `npm run engines` installs only where it is named. */
const ofPig = findEngine(pigSource) === undefined ? 40 : 0;

describe.skipIf(spark === undefined)('the contract with processes', () => {
  test.each([
    ['neutral', 430],
    ['sahara', 470],
    ['savanna', 370],
  ])('%s: at least %d tests pass, and none fails', async (dialect, least) => {
    const flags = ['--spark', spark?.folder ?? '', '--java', spark?.java ?? '', '--dialect', dialect];
    const scene = await openScene(flags);
    const target = ['--endpoint', scene.peer().url, '--dialect', dialect, '--plugin', 'spark'];
    const { failed, code, passed } = await runContract(...target, '--max-clusters', '12');
    expect(failed).toEqual([]);
    expect([code, passed.length >= least - ofPig]).toEqual([0, true]);
    expect(leftIn(scene.root)).toEqual([]);
  });
});
