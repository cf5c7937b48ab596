// The most frequent mistakes, found in the objects of a namespace. PURE.
import { similarTo } from '../../lib/similar.ts';
import { isConnection, sharedConnectionKind } from '../../operator/api/shared-api.ts';
import type { Fields } from '../fields.ts';
import { type ConnectionName, connectionField, connectionOf, type Observed } from '../observed.ts';
import type { Finding } from './finding.ts';

const area = 'Mistakes';
const mostNames = 5;

type Check = (objects: readonly Observed[]) => readonly Finding[];

/** `missing`: names of SharedConnections that do not exist. */
export function mistakesIn(objects: readonly Observed[], missing: readonly string[] = []): readonly Finding[] {
  const checks = [missingConnections, localEndpoints, versionedEndpoints, unknownVersions, unverifiedEndpoints];
  const found = [...checks.flatMap((check) => check(objects)), ...missing.map((name) => missingShared(objects, name))];
  return found.length > 0 ? found : [{ area, level: 'ok', text: 'none of the most frequent ones' }];
}

function connections(objects: readonly Observed[]): readonly Observed[] {
  return objects.filter(({ kind }) => isConnection(kind));
}

function names(objects: readonly Observed[]): string {
  const shown = objects.slice(0, mostNames).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return `${shown.join(', ')}${objects.length > mostNames ? ` and ${objects.length - mostNames} more` : ''}`;
}

/** Of the Connection in the namespace, or of a SharedConnection. */
function nameOf(object: Observed, wanted: ConnectionName['kind'] = 'Connection'): string | undefined {
  const { kind, name } = connectionOf(object) ?? {};
  return kind === wanted ? name : undefined;
}

/** In which they name what leads to a service. */
function fields(users: readonly Observed[]): string {
  return [...new Set(users.map(({ kind }) => connectionField(kind)))].join(' or ');
}

function missingShared(objects: readonly Observed[], name: string): Finding {
  const users = objects.filter((one) => nameOf(one, sharedConnectionKind) === name);
  const text = `SharedConnection ${name} does not exist, which ${names(users)} would use`;
  const todo = `ask the administrator of the cluster for the right name, and write it in ${fields(users)}`;
  return { area, level: 'wrong', text, todo };
}

/** Objects use the Connection `default` unless they name another one. */
const missingConnections: Check = (objects) => {
  const own = objects.filter(({ kind }) => kind === 'Connection');
  const known = new Set(own.map(({ metadata }) => metadata.name));
  const wanted = [...new Set(objects.flatMap((one) => nameOf(one) ?? []))];
  return wanted
    .filter((name) => !known.has(name))
    .map((name) => {
      const meant = similarTo(name, known);
      const users = objects.filter((one) => nameOf(one) === name);
      const hint = meant === undefined ? '' : `, perhaps ${meant}`;
      const todo = `create it, or name another one in ${fields(users)}${hint}`;
      return { area, level: 'wrong', text: `Connection ${name} does not exist, which ${names(users)} would use`, todo };
    });
};

function endpointOf({ spec }: Observed): URL | undefined {
  const endpoint = spec?.['endpoint'];
  return typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
}

/** Right for an operator on the same computer, and wrong in a pod. */
const localEndpoints: Check = (objects) => {
  const local = connections(objects).filter((one) =>
    /^(localhost|127\.|\[::1\])/.test(endpointOf(one)?.hostname ?? ''),
  );
  if (local.length === 0) return [];
  const text = `spec.endpoint of ${names(local)} names this computer, which in a pod is the operator itself`;
  return [{ area, level: 'note', text, todo: 'if the operator runs in the cluster, use a name that it can reach' }];
};

const versionedEndpoints: Check = (objects) => {
  const versioned = connections(objects).filter((one) => /\/v\d+(\.\d+)?(\/|$)/.test(endpointOf(one)?.pathname ?? ''));
  if (versioned.length === 0) return [];
  const text = `spec.endpoint of ${names(versioned)} ends with a version, which the operator adds itself`;
  return [{ area, level: 'wrong', text, todo: 'remove the version and what follows it' }];
};

/** Without quotes, 3.10 is the number 3.1 in YAML. */
const unknownVersions: Check = (objects) =>
  objects.flatMap((object): readonly Finding[] => {
    const { pluginName, bigdataVersion } = object.spec ?? {};
    const wanted = connectionOf(object);
    const connection = objects.find(({ kind, metadata }) => kind === wanted?.kind && metadata.name === wanted.name);
    const plugins = connection?.status?.['plugins'];
    if (typeof pluginName !== 'string' || !Array.isArray(plugins)) return [];
    const what = `${object.kind} ${object.metadata.name}`;
    const plugin = (plugins as readonly Fields[]).find(({ name }) => name === pluginName);
    if (plugin === undefined)
      return [
        {
          area,
          level: 'wrong',
          text: `${what}: the service has no plugin ${pluginName}`,
          todo: 'correct spec.pluginName',
        },
      ];
    const versions = Array.isArray(plugin['versions']) ? (plugin['versions'] as readonly string[]) : [];
    if (typeof bigdataVersion !== 'string' || versions.length === 0 || versions.includes(bigdataVersion)) return [];
    const text = `${what}: plugin ${pluginName} has no version ${bigdataVersion}, but ${versions.slice(0, mostNames).join(', ')}`;
    return [{ area, level: 'wrong', text, todo: 'correct spec.bigdataVersion, and write it in quotes' }];
  });

const unverifiedEndpoints: Check = (objects) => {
  const open = connections(objects).filter(
    ({ spec }) => (spec?.['tls'] as Fields | undefined)?.['insecureSkipVerify'] === true,
  );
  if (open.length === 0) return [];
  const text = `certificates are not checked for ${names(open)}, so its credentials can be intercepted`;
  return [{ area, level: 'note', text, todo: 'set spec.tls.caSecretRef in place of spec.tls.insecureSkipVerify' }];
};
