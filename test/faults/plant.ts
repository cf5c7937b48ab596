// Loaded before the operator as `plant.ts?bug=<name>`: breaks it in one place, so that it can be seen whether the grid finds out.
import { registerHooks } from 'node:module';
import { bugs } from './bugs.ts';

const name = new URL(import.meta.url).searchParams.get('bug');
const bug = bugs.find((one) => one.name === name);
if (bug === undefined) throw new Error(`cannot plant "${name}": it is not in the table`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/src/${bug.file}`)) return loaded;
    const source = textOf(loaded.source);
    if (!source.includes(bug.right)) throw new Error(`cannot plant "${bug.name}": src/${bug.file} has changed`);
    return { ...loaded, source: source.replace(bug.right, () => bug.wrong) };
  },
});

function textOf(source: string | NodeJS.ArrayBufferView | ArrayBuffer | undefined): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
