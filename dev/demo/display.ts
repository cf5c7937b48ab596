// Prints progress and tables. A terminal redraws the tables in place; any other output gets a table only if it changed.
import type { ApiServer } from './api-server.ts';
import { fetchTables, type Table } from './table.ts';

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Display {
  readonly print: (line: string) => void;
  /** Shows the tables of the namespace until the work has ended, and once more then. */
  showWhile<T>(scope: Scope, work: Promise<T>): Promise<T>;
}

interface Scope {
  readonly server: ApiServer;
  readonly namespace: string;
}

interface Screen {
  show(tables: readonly Table[]): void;
  /** What was drawn stays; the next drawing begins below. */
  leave(): void;
}

const REDRAW_MS = 500;

export function createDisplay(output: Output): Display {
  const screen = output.isTTY === true ? createLiveScreen(output) : createPrintedScreen(output);
  return {
    print(line) {
      screen.leave();
      output.write(`${line}\n`);
    },
    async showWhile({ server, namespace }, work) {
      const scope = { apiVersion: 'dataprocessing.dev/v1alpha1', category: 'dataprocessing', namespace };
      // Errors are ignored here, because the work itself reports them.
      const draw = async (): Promise<void> =>
        fetchTables(server, scope).then(
          (tables) => screen.show(tables),
          () => undefined,
        );
      let drawing = draw();
      const timer = setInterval(() => void (drawing = drawing.then(draw)), REDRAW_MS);
      try {
        return await work;
      } finally {
        clearInterval(timer);
        await drawing.then(draw);
        screen.leave();
      }
    },
  };
}

function createLiveScreen(output: Output): Screen {
  let drawn = 0;
  return {
    show(tables) {
      const width = output.columns || 80;
      // A wrapped line would be two, and the next drawing would begin too low.
      const lines = tables.flatMap(({ lines: rows }) => ['', ...rows]).map((line) => line.slice(0, width));
      const back = drawn === 0 ? '' : `\x1b[${drawn}A\x1b[J`;
      output.write(`${back}${lines.map((line) => `${line}\n`).join('')}`);
      drawn = lines.length;
    },
    leave: () => void (drawn = 0),
  };
}

/** Only the tables that changed, so that a log of it can be read. */
function createPrintedScreen(output: Output): Screen {
  const printed = new Map<string, string>();
  return {
    show(tables) {
      for (const { resource, lines, fingerprint } of tables) {
        if (printed.get(resource) === fingerprint) continue;
        printed.set(resource, fingerprint);
        output.write(`\n${lines.map((line) => `  ${line}\n`).join('')}`);
      }
    },
    leave: () => undefined,
  };
}
