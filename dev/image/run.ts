// Runs a program to its end.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Resolves to its standard output. Rejects with what it has printed if it fails. */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  try {
    const { stdout } = await execute(file, [...args], { ...options, maxBuffer: 64 * 1024 ** 2 });
    return stdout;
  } catch (cause) {
    const { stderr = '' } = cause as { readonly stderr?: string };
    const why = stderr.trim().split('\n').slice(-5).join('\n');
    throw new Error(`${file} ${args[0] ?? ''} failed: ${why === '' ? String(cause) : why}`, { cause });
  }
}
