// DataSource between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import type { DataSource, DataSourceCreate } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import { settled } from '../node-groups.ts';
import type { dataSource } from './schema.ts';

export type DataSourceSpec = Spec<typeof dataSource>;

export function content({ type, url }: DataSourceSpec): unknown {
  return { type, url };
}

export function body({ type, url, description }: DataSourceSpec, name: string): DataSourceCreate {
  return { name, type, url, ...settled({ description }) };
}

export function report(remote: DataSource): Readonly<Record<string, unknown>> {
  return settled({ type: cleanWord(remote.type), url: cleanWord(remote.url) });
}
