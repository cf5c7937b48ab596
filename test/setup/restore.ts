// What a test changes of its process is put back after it: files share a worker, and none may meet what another left.
import { afterAll, afterEach, expect, vi } from 'vitest';

const stateOfProcess = () => ({
  environment: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
  folder: process.cwd(),
  setImmediate: globalThis.setImmediate,
});

const before = stateOfProcess();

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

afterAll(() => expect(stateOfProcess(), 'the process after the file').toEqual(before));
