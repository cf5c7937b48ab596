// Whether the API server has the CRDs of this version. PURE.
import { definitions } from '../../operator/kinds/definitions.ts';
import type { Finding } from './finding.ts';

const area = 'CRDs';
const install = 'install those of this version: kubectl apply --server-side -k crds';
const mostFields = 5;

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** `openApi`: the document of the API group; undefined if there is none. */
export function servedKinds(openApi: unknown): readonly Finding[] {
  const { components } = (openApi ?? {}) as {
    readonly components?: { readonly schemas?: Readonly<Record<string, SchemaNode>> };
  };
  const schemas = components?.schemas ?? {};
  const schemaOf = (kind: string) => Object.entries(schemas).find(([name]) => name.endsWith(`.${kind}`))?.[1];
  const absent = definitions.filter(({ kind }) => schemaOf(kind) === undefined).map(({ kind }) => kind);
  if (absent.length === definitions.length)
    return [{ area, level: 'wrong', text: 'the API server serves none of the kinds', todo: install }];
  const found = definitions.flatMap((definition) => {
    const schema = schemaOf(definition.kind);
    return schema === undefined ? [] : [{ kind: definition.kind, ...differences(definition, schema) }];
  });
  const older = found.flatMap(({ kind, lacks }) => lacks.map((path) => `${kind}.${path}`));
  const newer = found.flatMap(({ kind, has }) => has.map((path) => `${kind}.${path}`));
  const findings: readonly (Finding | undefined)[] = [
    absent.length > 0
      ? { area, level: 'wrong', text: `the API server does not serve ${absent.join(', ')}`, todo: install }
      : undefined,
    older.length > 0
      ? { area, level: 'wrong', text: `they are older than this plugin, and lack ${some(older)}`, todo: install }
      : undefined,
    newer.length > 0
      ? {
          area,
          level: 'note',
          text: `they are newer than this plugin, which does not know ${some(newer)}`,
          todo: 'use the plugin of their version',
        }
      : undefined,
  ];
  const wrong = findings.filter((one) => one !== undefined);
  return wrong.length > 0
    ? wrong
    : [{ area, level: 'ok', text: `all ${definitions.length} have the fields of this version` }];
}

function differences({ spec, status }: (typeof definitions)[number], schema: SchemaNode) {
  const parts = { spec, status };
  const compared = (['spec', 'status'] as const).map((part) => {
    const wanted = Object.keys(parts[part].shape);
    const served = Object.keys(schema.properties?.[part]?.properties ?? {});
    return {
      lacks: wanted.filter((field) => !served.includes(field)).map((field) => `${part}.${field}`),
      has: served.filter((field) => !wanted.includes(field)).map((field) => `${part}.${field}`),
    };
  });
  return { lacks: compared.flatMap(({ lacks }) => lacks), has: compared.flatMap(({ has }) => has) };
}

function some(paths: readonly string[]): string {
  const more = paths.length - mostFields;
  return `${paths.slice(0, mostFields).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
