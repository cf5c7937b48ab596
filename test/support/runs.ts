// Runs have no names in the service: what tells one from the others is the marker that the operator sends along.

export interface RunBody {
  readonly job_configs?: { readonly configs?: Readonly<Record<string, unknown>> | undefined };
}

/** The marker of a run, or of what asks for one. */
export function markerIn({ job_configs }: RunBody): string | undefined {
  const marker = job_configs?.configs?.['edp.dataprocessing.dev/execution'];
  return typeof marker === 'string' ? marker : undefined;
}

/** The name by which a ledger knows a row of the service. */
export const nameOfRow = <Row extends { readonly name: string }>(row: Row | undefined): string | undefined =>
  row && (markerIn(row as RunBody) ?? row.name);
