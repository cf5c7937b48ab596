// Reads the flags and arguments of the commands that show and approve plans. PURE.
import { parseArgs } from 'node:util';
import { objectNamed } from '../kind-names.ts';
import { accessOf, approveFlags, planFlags } from './cli-flags.ts';
import type { Command } from './commands.ts';
import { durationOf, formatOf, parsed } from './parsing.ts';
import { UsageError } from './usage-error.ts';

export function readPlan(args: readonly string[]): Command | undefined {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: planFlags, allowPositionals: true }),
  );
  if (values.help) return undefined;
  const object = positionals.length === 0 ? undefined : objectNamed(positionals);
  if (typeof object === 'string') throw new UsageError(object);
  const { 'all-namespaces': allNamespaces, filename: files } = values;
  if (files.length > 0 && (object !== undefined || allNamespaces))
    throw new UsageError('give files or an object or --all-namespaces: -f shows what applying the files would do');
  if (object !== undefined && allNamespaces)
    throw new UsageError('give an object or --all-namespaces, and not both: an object is in one namespace');
  return { command: 'plan', object, files, allNamespaces, format: formatOf(values), access: accessOf(values) };
}

export function readApprove(args: readonly string[]): Command | undefined {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: approveFlags, allowPositionals: true }),
  );
  if (values.help) return undefined;
  const object = objectNamed(positionals);
  if (typeof object === 'string') throw new UsageError(object);
  const { yes, hash, 'no-wait': isHasty, timeout } = values;
  if (hash === '') throw new UsageError('--hash must be that of a plan, as kubectl dataprocessing plan shows it');
  const wish = { object, yes, hash, wait: !isHasty, timeoutMs: durationOf('--timeout', timeout) };
  return { command: 'approve', ...wish, format: formatOf(values), access: accessOf(values) };
}
