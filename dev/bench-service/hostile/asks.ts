// Loaded into the service: asks hostile pages, as it asks the pages of drivers.
import { setTimeout as pause } from 'node:timers/promises';
import { systemGet } from '../../../src/lib/system.ts';

const { HOSTILE_PAGES: pages = '' } = process.env;

/** All at a time, and somewhat more often than the service asks all runs for their progress. */
const [atOnce, betweenMs, patienceMs] = [10, 4000, 5000];

async function askForEver(path: string): Promise<never> {
  for (;;) {
    // Each of them ends with an error, as it should.
    await systemGet(pages + path, AbortSignal.timeout(patienceMs)).catch(() => undefined);
    await pause(betweenMs);
  }
}

if (pages !== '')
  for (let index = 0; index < atOnce; index += 1) void askForEver(index % 2 === 0 ? '/endless' : '/compressed');
