// The files of the operator's page, with the script in one piece.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

export const pagePath = 'src/operator/web/page.json';
const sources = 'src/operator/web/page';

/** The script contains Preact, whose license is in the image with the package. */
export async function pageFile(root: string): Promise<readonly [path: string, text: string]> {
  const read = async (name: string): Promise<string> => readFile(join(root, sources, name), 'utf8');
  const files = { html: await read('index.html'), style: await read('page.css'), script: await scriptOf(root) };
  return [pagePath, `${JSON.stringify(files, undefined, 2)}\n`];
}

async function scriptOf(root: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, sources, 'main.ts'), cwd: root, platform: 'browser' });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    const [script, ...more] = output;
    if (more.length > 0) throw new Error('cannot bundle the page: it has more than one script');
    return script.code;
  } finally {
    await bundle.close();
  }
}
