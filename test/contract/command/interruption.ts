// A run of the command that somebody ends.
import { expect, test } from 'vitest';
import type { Running } from '../../support/command.ts';
import { cloud, flagsFor, leftBehind, startContract, token } from '../command.ts';
import { startOther } from '../foreign/other-service.ts';

/** Until the tests run, and have made something. */
export async function inTheMiddle(run: Running, endpoint: string): Promise<void> {
  await expect.poll(run.output).toMatch(/^passed/m);
  await expect.poll(() => leftBehind(endpoint), { interval: 1 }).not.toEqual({});
}

export function interruptedBy(signal: 'SIGINT' | 'SIGTERM', exit: number): void {
  test(`what was made is deleted when the run gets ${signal}`, async () => {
    const endpoint = await startOther('neutral', token);
    const run = startContract(...flagsFor(endpoint, 'neutral'), ...cloud);
    await inTheMiddle(run, endpoint);
    run.signal(signal);
    const { code, output } = await run.ended;
    expect([code, output]).toEqual([exit, expect.stringContaining('interrupted: deleting what the run has made')]);
    expect(output).not.toContain('FAILED');
    expect(await leftBehind(endpoint)).toEqual({});
  });
}
