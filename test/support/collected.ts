// Stands in for vitest where the tests of a file are to be run again and again: it collects them instead of running them.
import { format } from 'node:util';

export { expect, vi } from 'vitest';

export interface Collected {
  readonly file: string;
  readonly name: string;
  readonly run: () => Promise<void>;
}

type Action = () => unknown;

/** Of all files that were imported, in their order. */
export const collected: Collected[] = [];

interface Group {
  readonly title: string;
  readonly before: Action[];
  readonly after: Action[];
}

let file = '';
let groups: readonly Group[] = [];
let cleanups: Action[] = [];

/** Whose tests come next. */
export function collectFrom(name: string): void {
  file = name;
  groups = [{ title: '', before: [], after: [] }];
}

/** Between name and body there may be options, which do not matter here. */
function add(name: string, ...rest: readonly unknown[]): void {
  const body = bodyOf(rest);
  const around = groups;
  const titles = around.slice(1).map(({ title }) => title);
  const run = async () => {
    cleanups = [];
    try {
      for (const { before } of around) for (const one of before) await one();
      await body();
    } finally {
      for (const one of cleanups.reverse()) await one();
      for (const { after } of around.toReversed()) for (const one of after) await one();
    }
  };
  collected.push({ file, name: [...titles, name].join(' > '), run });
}

function group(title: string, body: Action): void {
  const around = groups;
  groups = [...around, { title, before: [], after: [] }];
  body();
  groups = around;
}

function bodyOf(rest: readonly unknown[]): (...args: readonly unknown[]) => unknown {
  return rest.findLast((one) => typeof one === 'function') as Action;
}

/** For each row its own; rows that are arrays are the arguments. */
function eachOf(register: (name: string, body: Action) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, ...rest: readonly unknown[]) => {
      const body = bodyOf(rest);
      for (const row of rows) {
        const args: readonly unknown[] = Array.isArray(row) ? row : [row];
        register(format(name, ...args.slice(0, name.split('%').length - 1)), () => body(...args));
      }
    };
}

export const test = Object.assign(add, { each: eachOf(add) });
export const it = test;
export const describe = Object.assign(group, { each: eachOf(group) });
export const beforeEach = (action: Action) => void groups.at(-1)?.before.push(action);
export const afterEach = (action: Action) => void groups.at(-1)?.after.push(action);
export const onTestFinished = (action: Action) => void cleanups.push(action);
