// Tests wait for conditions. A limit in seconds would be reached on a busy machine, where nothing is wrong.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
/** They last for a given time, or have these lines as samples. */
const others = /^test\/fuzz\/|^test\/architecture\/patience/;

/** A limit that is a number, of a wait or of a whole test; and a wait without one, which ends after a second. */
const limits = [
  /\btimeout: [\d_]+(?!\d| \*)/,
  /\{ withinMs: \d{2,}_\d{3} \}/,
  /\bwait(?:For|Until)\(.*, [\d_]+\);/,
  /^ *\}, [\d_]+\);/,
  /\bvi\.wait(?:For|Until)\((?!.*(?:[a-z]Ms|patience|bound)\b).*\);/,
  /\.end\('SIG\w+', [\d_]+\)/,
];

const shortLimits = (text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, index) => (limits.some((limit) => limit.test(line)) ? [`${index + 1}: ${line.trim()}`] : []));

test.each([
  'const patience = { timeout: 30_000, interval: 50 };',
  'await vi.waitFor(() => expect(a).toBe(b), 10_000);',
  '  }, 180_000);',
  'await vi.waitFor(() => expect(a).toBe(b));',
  "await program.end('SIGTERM', 20_000);",
  "await waitUntil('see it', probe, { withinMs: 30_000 });",
])('%s is found', (line) => {
  expect(shortLimits(line)).toHaveLength(1);
});

test('limits are those of test/support/patience.ts', () => {
  const files = globSync('test/**/*.ts', { cwd: root }).filter((path) => !others.test(path));
  const found = files.flatMap((path) =>
    shortLimits(readFileSync(root + path, 'utf8')).map((line) => `${path}:${line}`),
  );
  expect(found).toEqual([]);
});
