// Lines of the source that tests name as text: one that was edited must be named as it is now, or nobody plants or excuses anything.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bugs } from '../faults/bugs.ts';
import { equivalent } from './equivalent.ts';

const root = join(import.meta.dirname, '..', '..');
const named = [
  ...equivalent.map(({ file, source }) => [file, source] as const),
  ...bugs.map(({ file, right }) => [join('src', file), right] as const),
];

test.each(named)('%s has the line %s', (file, source) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(source);
});
