// The quick start of the README with kubectl. That with Helm: quickstart.long.test.ts.
import { expect, test } from 'vitest';
import { installations, quickStart, section } from './quickstart.ts';

test('the README has a way with kubectl and one with Helm', () => {
  expect(installations.map((command) => command.split(' ')[0])).toEqual(['kubectl', 'helm']);
  expect(section).not.toContain('127.0.0.1:');
});

quickStart('kubectl');
