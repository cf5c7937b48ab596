// DataSource between YAML and the wire. PURE.
import { cleanWord } from '../../../wire/errors/shapes.ts';
import type { DataSource, DataSourceCreate } from '../../../wire/jobs.ts';
import type { Spec } from '../../api/definition.ts';
import type { MappingContext, ResourceReference } from '../../reconcile/kind/kind.ts';
import { settled } from '../node-groups.ts';
import { secretReferences } from '../object-credentials.ts';
import { credentialKeys, credentialsOf } from './credentials.ts';
import type { dataSource } from './schema.ts';

export type DataSourceSpec = Spec<typeof dataSource>;

export const references = (spec: DataSourceSpec): readonly ResourceReference[] =>
  secretReferences(spec, credentialKeys[spec.type]);

/** The credentials count, although they are never shown: their digest stands in for them. */
export const content = (spec: DataSourceSpec, hashOf: (reference: ResourceReference) => string): unknown => {
  const { type, url } = spec;
  const [secret] = references(spec);
  return { type, url, ...settled({ credentials: secret && hashOf(secret) }) };
};

export const body = (
  spec: DataSourceSpec,
  given: Pick<MappingContext, 'externalName' | 'secretOf'>,
): DataSourceCreate => {
  const { type, url, description } = spec;
  const [secret] = references(spec);
  const credentials = secret && credentialsOf(given.secretOf(secret));
  return { name: given.externalName, type, url, ...settled({ description, credentials }) };
};

export const report = (remote: DataSource): Readonly<Record<string, unknown>> =>
  settled({ type: cleanWord(remote.type), url: cleanWord(remote.url) });
