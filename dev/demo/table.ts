// Prints what `kubectl get dataprocessing` prints. The API server renders the tables; this lays them out.
import type { ApiServer } from './api-server.ts';
import { discover, rootOf } from './manifests.ts';

export interface Table {
  /** Singular with group, as in cluster.dataprocessing.dev; before each name, because there are several tables. */
  readonly resource: string;
  readonly lines: readonly string[];
  /** The same without ages, which change all the time. */
  readonly fingerprint: string;
}

type Cell = string | number | boolean | null;

interface RenderedTable {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows?: readonly { readonly cells: readonly Cell[] }[];
}

interface Scope {
  readonly apiVersion: string;
  readonly category: string;
  readonly namespace: string;
}

const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The tables of all kinds of the category; kinds without objects are left out. */
export async function fetchTables(server: ApiServer, scope: Scope): Promise<readonly Table[]> {
  const kinds = await discover(server, scope.apiVersion);
  const shown = kinds.filter(({ categories = [] }) => categories.includes(scope.category));
  const tables = await Promise.all(
    shown.map(async ({ name, singularName }) => {
      const path = `${rootOf(scope.apiVersion)}/namespaces/${scope.namespace}/${name}`;
      const rendered = await server.ask<RenderedTable>({ path, accept: asTable });
      return layOut(`${singularName}.${scope.apiVersion.split('/')[0]}`, rendered);
    }),
  );
  return tables.filter(({ lines }) => lines.length > 1);
}

/** Columns of a priority above 0 are those of `-o wide`. */
export function layOut(resource: string, { columnDefinitions, rows = [] }: RenderedTable): Table {
  const columns = columnDefinitions.map(({ name, priority }, index) => ({ name, priority, index }));
  const shown = columns.filter(({ priority }) => priority === 0);
  const cells = rows.map((row) =>
    shown.map(({ index, name }) => `${name === 'Name' ? `${resource}/` : ''}${row.cells[index] ?? ''}`),
  );
  const grid = [shown.map(({ name }) => name.toUpperCase()), ...cells];
  const widths = shown.map((_, column) => Math.max(...grid.map((row) => (row[column] ?? '').length)));
  const lines = grid.map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3))
      .join('')
      .trimEnd(),
  );
  const age = shown.findIndex(({ name }) => name === 'Age');
  const fingerprint = JSON.stringify(cells.map((row) => row.filter((_, column) => column !== age)));
  return { resource, lines, fingerprint };
}
