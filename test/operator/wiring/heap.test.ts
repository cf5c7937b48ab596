// That V8 gives memory back, with the Node that this repository runs on: what it takes for that is not in its documentation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const src = (file: string): string => pathToFileURL(join(import.meta.dirname, '..', '..', '..', 'src', file)).href;

/** Much at once, most of which is soon garbage, and then next to nothing. */
const script = `
  import { keepHeapSmall } from ${JSON.stringify(src('operator/wiring/heap.ts'))};
  import { systemClock } from ${JSON.stringify(src('lib/system.ts'))};
  keepHeapSmall(systemClock);
  globalThis.kept = Array.from({ length: 200_000 }, (_, n) => ({ n, text: 'x' + n })).filter(({ n }) => n % 50 === 0);
  setInterval(() => undefined, 1_000);
`;

test('V8 collects with a view to memory when little happens', async () => {
  const flags = ['--max-semi-space-size=4', '--gc-memory-reducer-start-delay-ms=500', '--trace-gc'];
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  let reducing: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('(reduce)')) continue;
    reducing = line;
    break;
  }
  expect(reducing).toMatch(/Mark-Compact \(reduce\)/);
});
