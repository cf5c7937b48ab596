// What the Tab key offers. PURE.
import { parseArgs } from 'node:util';
import type { ResourceKind } from '../../kube/resource.ts';
import { customKind, kindNamed, kindWords } from '../kind-names.ts';
import {
  type Access,
  type AccessFlags,
  accessOf,
  approveFlags,
  doctorFlags,
  formats,
  importFlags,
  logsFlags,
  orphansFlags,
  planFlags,
  runFlags,
  shells,
  statusFlags,
  whyFlags,
} from './cli-flags.ts';

/** The hidden command that the scripts run with the words up to the cursor. The last one is the word at the cursor. */
export const askCommand = '__complete';

interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
}
type Flags = Readonly<Record<string, Flag>>;

const flagsOf: Readonly<Record<string, Flags>> = {
  why: whyFlags,
  status: statusFlags,
  plan: planFlags,
  approve: approveFlags,
  logs: logsFlags,
  run: runFlags,
  orphans: orphansFlags,
  import: importFlags,
  doctor: doctorFlags,
};
const commands = [...Object.keys(flagsOf), 'completion', 'version', 'help'];
const fileFlags = ['filename', 'kubeconfig', 'token-file'];

/** Words; or names of files, which the shell knows; or names of objects, after a text such as `cluster/`. */
export type Offer =
  | { readonly offer: 'words'; readonly words: readonly string[] }
  | { readonly offer: 'files' }
  | {
      readonly offer: 'names';
      readonly kind: ResourceKind;
      readonly access: Access;
      readonly after: string;
      readonly begin: string;
    };

export function offerAt(line: readonly string[]): Offer {
  // Bash makes three words of --flag=value.
  const given = line
    .map((word, at) => (word === '=' && at === line.length - 1 ? '' : word))
    .filter((one) => one !== '=');
  const word = given.at(-1) ?? '';
  const [command, ...before] = given.slice(0, -1);
  if (command === undefined) return among(commands, word);
  if (command === 'completion') return among(before.length === 0 ? shells : [], word);
  const flags = flagsOf[command];
  if (flags === undefined) return among([], word);
  const open = valueOf(flags, before.at(-1));
  if (open !== undefined) return offerForFlag(open, before.slice(0, -1), { flags, word });
  const names = among(
    Object.keys(flags).map((name) => `--${name}`),
    word,
  );
  return word.startsWith('-') ? names : (offerForArgument(command, before, { flags, word }) ?? names);
}

function among(all: readonly string[], word: string): Offer {
  return { offer: 'words', words: all.filter((one) => one.startsWith(word)) };
}

interface CursorPlace {
  readonly flags: Flags;
  readonly word: string;
}

function offerForFlag(flag: string, before: readonly string[], { flags, word }: CursorPlace): Offer {
  if (fileFlags.includes(flag)) return { offer: 'files' };
  if (flag === 'output') return among(formats.slice(1), word);
  const kind = flag === 'connection' ? customKind('Connection') : undefined;
  return kind === undefined ? among([], word) : namesOf(kind, readBefore(flags, before), { after: '', begin: word });
}

/** Commands whose argument is `KIND/NAME`. */
const ofObjects = ['why', 'plan', 'approve'];

/** Undefined where the command takes no further argument. */
function offerForArgument(command: string, before: readonly string[], { flags, word }: CursorPlace): Offer | undefined {
  if (command !== 'logs' && !ofObjects.includes(command)) return undefined;
  const line = readBefore(flags, before);
  const [first, ...others] = line.positionals;
  if (command === 'logs') {
    const kind = customKind('JobExecution');
    return first === undefined && kind ? namesOf(kind, line, { after: '', begin: word }) : undefined;
  }
  if (others.length > 0 || first?.includes('/')) return undefined;
  const slash = word.indexOf('/');
  const [kindWord, after] = slash < 0 ? [first, ''] : [word.slice(0, slash), word.slice(0, slash + 1)];
  if (kindWord === undefined) return among(kindWords, word);
  const kind = kindNamed(kindWord);
  return kind && namesOf(kind, line, { after, begin: word.slice(after.length) });
}

interface ReadLine {
  readonly access: Access;
  readonly positionals: readonly string[];
}

function readBefore(options: Flags, before: readonly string[]): ReadLine {
  const { values, positionals } = parseArgs({ args: [...before], options, allowPositionals: true, strict: false });
  return { access: accessOf(values as AccessFlags), positionals };
}

function namesOf(
  kind: ResourceKind,
  { access }: ReadLine,
  at: { readonly after: string; readonly begin: string },
): Offer {
  return { offer: 'names', kind, access, ...at };
}

/** The flag that the next word belongs to. */
function valueOf(flags: Flags, word = ''): string | undefined {
  const found = Object.entries(flags).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);
  return found?.[1].type === 'string' ? found[0] : undefined;
}

/** As kubectl expects it: words, and after a colon whether the shell adds names of files (0) or not (4). */
export function offerText(words: readonly string[], files: boolean): string {
  return [...words, files ? ':0' : ':4', ''].join('\n');
}
