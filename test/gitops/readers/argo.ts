// How Argo CD judges an object: what is being deleted by itself, everything else by the Lua that we ship, run in a real Lua.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LuaFactory } from 'wasmoon';
import type { RawResource } from '../../../src/operator/api/definition.ts';

export const healthWords = ['Healthy', 'Progressing', 'Degraded', 'Suspended'] as const;
export type Health = (typeof healthWords)[number];

export interface Judged {
  readonly status: Health;
  readonly message?: string;
}

export const healthScript: string = await readFile(
  join(import.meta.dirname, '..', '..', '..', 'deploy', 'argocd', 'health.lua'),
  'utf8',
);

/** The basic functions of Lua 5.1 that work here as they do there; Argo CD loads neither string nor math. */
const basic = ['ipairs', 'next', 'pairs', 'select', 'tonumber', 'tostring', 'type', 'table'];

const engine = await new LuaFactory().createEngine();
// Text has no methods there, which are the string library, too.
engine.doStringSync('getmetatable("").__index = nil');

/** JSON as a Lua table; null is nothing, as Argo CD has it. */
function luaOf(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `{${value.map(luaOf).join(',')}}`;
  if (typeof value === 'string') return luaText(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `[${luaText(name)}]=${luaOf(field)}`);
  return `{${fields.join(',')}}`;
}

function luaText(text: string): string {
  return `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}

/** What the script returns for any object, of which it may find no more than JSON can hold. */
export function runHealth(script: string, object: unknown): Judged {
  engine.global.set('script', script);
  const given = [...basic.map((name) => `${name}=${name}`), `obj=${luaOf(object)}`].join(',');
  return engine.doStringSync(`return assert(load(script, "health", "t", {${given}}))()`) as Judged;
}

export function argoHealth(resource: RawResource): Judged {
  if (resource.metadata.deletionTimestamp !== undefined) return { status: 'Progressing', message: 'Pending deletion' };
  return runHealth(healthScript, resource);
}
