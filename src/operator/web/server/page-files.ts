// The files of the page, which `npm run generate` makes from src/operator/web/page.
import type { WebReply } from './reply.ts';

export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

/** Undefined for any other path. */
export function pageReply(files: PageFiles, path: string): WebReply | undefined {
  switch (path) {
    case '/':
      return { status: 200, type: 'text/html; charset=utf-8', body: files.html };
    case '/page.js':
      return { status: 200, type: 'text/javascript; charset=utf-8', body: files.script };
    case '/page.css':
      return { status: 200, type: 'text/css; charset=utf-8', body: files.style };
    default:
      return undefined;
  }
}
