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

/** A constant of some seconds or minutes. Those of simulated time and of the product's own limits are none: nothing waits for so long. */
const constant = /\bconst (\w+) = \d{2,}_\d{3};/;

/** Where the constant of this name is how long something is waited for. */
const asLimit = (name: string): RegExp =>
  new RegExp(
    [
      `\\b(?:timeout|withinMs|patienceMs): ${name}\\b`,
      `\\b(?:until|waitFor|waitUntil)\\(.*, ${name}\\)`,
      `^ *\\}, ${name}\\);`,
      `\\b\\w*[pP]atience\\w* \\?\\? ${name}\\b`,
    ].join('|'),
    'm',
  );

function isShort(line: string, text: string): boolean {
  const [, name] = constant.exec(line) ?? [];
  return limits.some((limit) => limit.test(line)) || (name !== undefined && asLimit(name).test(text));
}

const shortLimits = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, index) => (isShort(line, text) ? [`${index + 1}: ${line.trim()}`] : []));

test.each([
  'const patience = { timeout: 30_000, interval: 50 };',
  'await vi.waitFor(() => expect(a).toBe(b), 10_000);',
  '  }, 180_000);',
  'await vi.waitFor(() => expect(a).toBe(b));',
  "await program.end('SIGTERM', 20_000);",
  "await waitUntil('see it', probe, { withinMs: 30_000 });",
  'const patienceMs = 60_000;\nawait expect.poll(f, { timeout: patienceMs });',
  'const patience = 60_000;\nawait world.until(kind, name, isReady, patience);',
  'const defaultPatienceMs = 240_000;\nreturn this.#options.patienceMs ?? defaultPatienceMs;',
  'const longestMs = 120_000;\ntest(name, () => {\n}, longestMs);',
])('%s is found', (line) => {
  expect(shortLimits(line)).toHaveLength(1);
});

test.each([
  'const minuteMs = 60_000;\nexpect(nextOf(minuteMs)).toBe(1);',
  'const timeoutMs = 30_000;\nawait transport.request(call, timeoutMs);',
  'const longestMs = 20 * 60_000;\ntest(name, { timeout: longestMs }, run);',
  'const patienceMs = 1_200_000;\nconst until = world.now + patienceMs;',
])('%s is none', (text) => {
  expect(shortLimits(text)).toEqual([]);
});

test('limits are those of test/support/patience.ts', () => {
  const files = globSync('test/**/*.ts', { cwd: root }).filter((path) => !others.test(path));
  const found = files.flatMap((path) =>
    shortLimits(readFileSync(root + path, 'utf8')).map((line) => `${path}:${line}`),
  );
  expect(found).toEqual([]);
});
