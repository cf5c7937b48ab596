// What kubectl passes to the plugin, as a command. PURE.
import type { Command } from './commands.ts';
import { askCommand, offerAt } from './completion.ts';
import { commandHelp, help } from './help.ts';
import { readers } from './readers.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError. `version`: of this program. */
export function readCommand([command, ...rest]: readonly string[], version: string): Command {
  if (command === undefined || command === 'help' || command === '--help' || command === '-h')
    return { command: 'print', text: help };
  if (command === 'version' || command === '--version') return { command: 'print', text: `${version}\n` };
  if (command === askCommand) return { command: 'complete', offer: offerAt(rest) };
  const read = readers[command];
  if (read === undefined)
    throw new UsageError(
      `there is no command ${JSON.stringify(command)}: use ${Object.keys(readers).join(', ')} or version`,
    );
  return read(rest) ?? { command: 'print', text: commandHelp[command] ?? help };
}
