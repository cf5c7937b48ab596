// The token of the control port: read from a file, or created in a file that only the owner can read.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface ControlToken {
  readonly token: string;
  readonly file: string;
  /** Removes the file, unless the user named it. */
  readonly forget: () => void;
}

/** Creates a token that cannot be guessed. */
type Draw = () => string;

function createToken(file: string, draw: Draw): string {
  const token = draw();
  writeFileSync(file, `${token}\n`, { flag: 'wx', mode: 0o600 });
  return token;
}

/** Undefined if the file does not exist. */
function readToken(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!/^[!-~]+$/.test(text)) throw new Error('it has to hold one line of letters, digits and signs, without spaces');
  return text;
}

function openNamed(file: string, draw: Draw): string {
  try {
    return readToken(file) ?? createToken(file, draw);
  } catch (cause) {
    throw new Error(`cannot use --control-token-file ${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Creates the file if it is missing. Without a name, the file is created in a folder of its own. */
export function openControlToken(named: string | undefined, draw: Draw): ControlToken {
  if (named !== undefined) return { token: openNamed(named, draw), file: named, forget: () => {} };
  const file = join(mkdtempSync(join(tmpdir(), 'dataprocessing-service-')), 'control-token');
  return {
    token: createToken(file, draw),
    file,
    forget: () => rmSync(dirname(file), { recursive: true, force: true }),
  };
}
