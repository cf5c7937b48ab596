// Whether the NetworkPolicy of the operator lets it reach the services. PURE.
import type { Observed } from '../observed.ts';
import type { Finding } from './finding.ts';

const area = 'Network';

interface PolicyPort {
  readonly port?: number | string;
  readonly endPort?: number;
}

export interface NetworkPolicy {
  readonly spec?: {
    readonly policyTypes?: readonly string[];
    readonly egress?: readonly { readonly ports?: readonly PolicyPort[] }[];
  };
}

/** Only the ports: addresses depend on what a name leads to in the cluster. */
export function networkFindings(
  policy: NetworkPolicy | undefined,
  connections: readonly Observed[],
): readonly Finding[] {
  if (policy === undefined) return [];
  const { policyTypes = [], egress = [] } = policy.spec ?? {};
  const blocked = connections.flatMap((connection) => {
    const port = portOf(connection);
    const isOpen =
      !policyTypes.includes('Egress') || port === undefined || egress.some(({ ports }) => allows(ports, port));
    return isOpen ? [] : [`port ${port} of ${connection.kind} ${connection.metadata.name}`];
  });
  if (blocked.length === 0)
    return [{ area, level: 'ok', text: 'the NetworkPolicy of the operator allows the ports of all Connections' }];
  const text = `the NetworkPolicy of the operator does not allow ${blocked.join(', ')}`;
  return [{ area, level: 'wrong', text, todo: 'add the port to spec.egress of NetworkPolicy dataprocessing-operator' }];
}

function allows(ports: readonly PolicyPort[] | undefined, port: number): boolean {
  if (ports === undefined || ports.length === 0) return true;
  return ports.some(({ port: first, endPort }) => {
    // A name stands for a port of a pod that nobody knows here.
    if (typeof first !== 'number') return true;
    return first <= port && port <= (endPort ?? first);
  });
}

function portOf({ spec, status }: Observed): number | undefined {
  const endpoint = status?.['endpoint'] ?? spec?.['endpoint'];
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) return undefined;
  const { port, protocol } = new URL(endpoint);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
