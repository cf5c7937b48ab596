// Counts the looks at all processes of this computer, and protects the environment of some of them, as the kernel protects that of programs with capabilities.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished, vi } from 'vitest';

/** Until the test has finished. `onLook` is called before each look. */
export function watchLooks(onLook: () => void = () => undefined) {
  const { readdirSync, readFileSync } = fs;
  const protectedFiles = new Set<unknown>();
  let looks = 0;
  const spies = [
    vi.spyOn(fs, 'readdirSync').mockImplementation(((...args: Parameters<typeof readdirSync>) => {
      if (args[0] === '/proc') {
        looks += 1;
        onLook();
      }
      return readdirSync(...args);
    }) as typeof readdirSync),
    vi.spyOn(fs, 'readFileSync').mockImplementation(((...args: Parameters<typeof readFileSync>) => {
      if (protectedFiles.has(args[0])) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      return readFileSync(...args);
    }) as typeof readFileSync),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  return {
    get looks() {
      return looks;
    },
    protect: (pid: number) => void protectedFiles.add(`/proc/${pid}/environ`),
  };
}
