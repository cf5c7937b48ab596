// Asks a question on the terminal.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/**
 * Resolves to the line that is typed, and to nothing at the end of the input. Rejects when the signal aborts. The terminal stays in its
 * own mode, so that Ctrl-C reaches the program as a signal.
 */
export function asking(input: Readable, output: Writable, signal: AbortSignal): (question: string) => Promise<string> {
  return async (question) => {
    const lines = createInterface({ input, terminal: false });
    const typed = once(lines, 'line', { signal }).then(([line]) => String(line));
    const ended = once(lines, 'close', { signal }).then(() => '');
    output.write(question);
    try {
      return await Promise.race([typed, ended]);
    } finally {
      lines.close();
      input.pause();
    }
  };
}
