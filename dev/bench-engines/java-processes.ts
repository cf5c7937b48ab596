// Java processes of this computer, as /proc shows them.
import { readdirSync, readFileSync } from 'node:fs';

/** Those of clusters and jobs that name the folder on their command line, by the last part of their main class. */
export function javaProcesses(folder: string): readonly { readonly name: string; readonly pid: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const main = words.find((word) => /^org\.apache\.[\w.]+$/.test(word));
        return main !== undefined && words.some((word) => word.includes(folder))
          ? [{ name: main.split('.').at(-1) ?? main, pid: Number(pid) }]
          : [];
      } catch {
        // It has ended.
        return [];
      }
    });
}
