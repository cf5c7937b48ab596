// A Chromium without a window, for tests of pages.
import { existsSync } from 'node:fs';
import { type Browser, launch } from 'puppeteer-core';
import { limitMs } from './patience.ts';

const candidates = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Undefined where there is none: skip, and say that CHROMIUM can name one. */
export const chromium = candidates.find((path) => path !== undefined && path !== '' && existsSync(path));

/** Without the sandbox, which root cannot have: it only ever opens pages of the test. */
export async function openBrowser(): Promise<Browser> {
  if (chromium === undefined) throw new Error('there is no Chromium: set CHROMIUM to the path of one');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  return launch({ executablePath: chromium, args, timeout: limitMs, protocolTimeout: limitMs });
}
