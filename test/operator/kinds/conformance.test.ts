// No kind is registered without its call of the battery.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds } from '../../../src/operator/kinds/index.ts';

test.each(kinds.map(({ definition: { kind } }) => kind))('the battery runs over %s', (kind) => {
  const folder = kind.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const file = new URL(`./${folder}/conformance.test.ts`, import.meta.url);
  expect(existsSync(file), `test/kinds/${folder}/conformance.test.ts`).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain('conformance(');
});
