// Which connections NetworkPolicies admit, as a network plugin that enforces them decides. It throws on whatever it does not know.
import { BlockList, isIPv4 } from 'node:net';
import type { Made } from '../../../../../src/service/backends/pods/api/api.ts';

export type Labels = Readonly<Record<string, string>>;

/** A pod, or an address outside of the Kubernetes cluster. */
export type Place = { readonly namespace: string; readonly labels: Labels } | { readonly address: string };

interface Selector {
  readonly matchLabels?: Labels;
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
}
interface Port {
  readonly port: number;
  readonly endPort?: number;
  readonly protocol: string;
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly Port[];
}
interface Spec {
  readonly podSelector: Selector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

function only(what: object, known: readonly string[]): void {
  const other = Object.keys(what).find((key) => !known.includes(key));
  if (other !== undefined) throw new Error(`the evaluator does not know ${other}`);
}

function matches(selector: Selector, labels: Labels): boolean {
  only(selector, ['matchLabels']);
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

function isPeer(peer: Peer, place: Place, own: string): boolean {
  only(peer, ['podSelector', 'namespaceSelector', 'ipBlock']);
  if (peer.ipBlock !== undefined) {
    only(peer.ipBlock, ['cidr']);
    if (!('address' in place)) return false;
    const [net = '', bits = ''] = peer.ipBlock.cidr.split('/');
    const list = new BlockList();
    list.addSubnet(net, Number(bits), isIPv4(net) ? 'ipv4' : 'ipv6');
    return list.check(place.address, isIPv4(place.address) ? 'ipv4' : 'ipv6');
  }
  if ('address' in place) return false;
  const inNamespace =
    peer.namespaceSelector === undefined
      ? place.namespace === own
      : matches(peer.namespaceSelector, { 'kubernetes.io/metadata.name': place.namespace });
  return inNamespace && matches(peer.podSelector ?? {}, place.labels);
}

const isPort = ({ port, endPort = port, protocol }: Port, wanted: Pick<Port, 'port' | 'protocol'>): boolean =>
  protocol === wanted.protocol && wanted.port >= port && wanted.port <= endPort;

/** Whether the policies admit it in one direction. A pod that no policy selects is open. */
function admits(
  policies: readonly Made[],
  [direction, peers]: readonly ['Ingress', 'from'] | readonly ['Egress', 'to'],
  { pod, other, port }: { readonly pod: Place; readonly other: Place; readonly port: Pick<Port, 'port' | 'protocol'> },
): boolean {
  if ('address' in pod) return true;
  const selecting = policies.filter(({ metadata, spec }) => {
    const { podSelector, policyTypes } = spec as Spec;
    only(spec as object, ['podSelector', 'policyTypes', 'ingress', 'egress']);
    const isThere = metadata.namespace === pod.namespace && policyTypes.includes(direction);
    return isThere && matches(podSelector, pod.labels);
  });
  if (selecting.length === 0) return true;
  const rules = selecting.flatMap(({ spec }) => {
    const { ingress, egress } = spec as Spec;
    return (direction === 'Ingress' ? ingress : egress) ?? [];
  });
  return rules.some((rule) => {
    only(rule, [peers, 'ports']);
    const named = rule[peers] ?? [];
    const isNamed = named.length === 0 || named.some((peer) => isPeer(peer, other, pod.namespace));
    return isNamed && (rule.ports === undefined || rule.ports.some((each) => isPort(each, port)));
  });
}

/** `port`: such as `7077` or `53/UDP`. */
export function mayReach(policies: readonly Made[], from: Place, to: Place, port: string): boolean {
  const [number = '', protocol = 'TCP'] = port.split('/');
  const wanted = { port: Number(number), protocol };
  return (
    admits(policies, ['Egress', 'to'], { pod: from, other: to, port: wanted }) &&
    admits(policies, ['Ingress', 'from'], { pod: to, other: from, port: wanted })
  );
}
