// The web pages of clusters in pods as they are shown outside: what makes them reachable, and where they are then. PURE.
import type { Engine, EngineNode, EngineProcess } from '../../../engines/engine.ts';
import type { ClusterGroupRecord, ClusterRecord, InfoMap } from '../../../model/records/records.ts';
import type { KubeObject, Made } from '../api/api.ts';
import { groupName, groupNames } from '../api/names.ts';
import { pagePortOf } from './containers.ts';
import { nodesOfGroup, templatesIn } from './layout.ts';
import {
  type ClusterSetting,
  exposures,
  groupSelector,
  labelsOf,
  type PageExposure,
  type PublishOptions,
} from './manifests.ts';

const noExposure = 'none';
const isExposure = (text: string): text is PageExposure => exposures.some((each) => each === text);

/** Undefined if the group asks for nothing. */
function wantedBy({ floating_ip_pool = noExposure }: ClusterGroupRecord): PageExposure | undefined {
  return isExposure(floating_ip_pool) ? floating_ip_pool : undefined;
}

/** What the pages of engines are shown with. */
type PagesInput = Pick<ClusterSetting, 'engine' | 'publishing'>;

/** The processes of the group whose pages can be shown outside. The other ones have interfaces beside their pages that change something. */
const shownProcesses = ({ node_processes }: ClusterGroupRecord, { processes }: Engine): readonly EngineProcess[] =>
  processes.filter(({ name, hasReadOnlyPage }) => hasReadOnlyPage === true && node_processes.includes(name));

/** Undefined if nothing of the group is shown, whatever it asks for. */
function exposureOf(
  group: ClusterGroupRecord,
  { engine, publishing: { allowed } }: PagesInput,
): PageExposure | undefined {
  const wanted = wantedBy(group);
  if (wanted === undefined || !allowed.includes(wanted)) return undefined;
  return shownProcesses(group, engine).length === 0 ? undefined : wanted;
}

const exposedGroups = ({ node_groups }: ClusterRecord, showing: PagesInput): readonly ClusterGroupRecord[] =>
  node_groups.filter((group) => exposureOf(group, showing) !== undefined);

/** The groups that ask for an exposure that they do not get: an earlier version, or another flag, may have given it to them. */
export const hiddenGroups = ({ node_groups }: ClusterRecord, showing: PagesInput): readonly ClusterGroupRecord[] =>
  node_groups.filter((group) => wantedBy(group) !== undefined && exposureOf(group, showing) === undefined);

export const showsPages = (cluster: ClusterRecord, showing: PagesInput): boolean =>
  exposedGroups(cluster, showing).length > 0;

/** Throws an Error that names the field and the remedy. */
export function checkExposure({ node_groups }: ClusterRecord, showing: PagesInput): void {
  for (const group of node_groups) {
    const problem = problemOf(group, showing);
    if (problem !== undefined)
      throw new Error(`group ${group.name} has floating_ip_pool ${group.floating_ip_pool}: ${problem}`);
  }
}

function problemOf(group: ClusterGroupRecord, { engine, publishing }: PagesInput): string | undefined {
  const { floating_ip_pool = '', node_processes } = group;
  if (floating_ip_pool === '' || floating_ip_pool === noExposure) return undefined;
  if (!isExposure(floating_ip_pool))
    return `name how its pages are exposed, ${[noExposure, ...exposures].join(', ')}, or leave it out`;
  if (!publishing.allowed.includes(floating_ip_pool))
    return `the service exposes nothing by ${floating_ip_pool}: leave it out, or start the service with --allow-exposure ${floating_ip_pool}`;
  if (floating_ip_pool === 'Ingress' && publishing.domain === undefined)
    return 'start the service with --ingress-domain, or choose NodePort or LoadBalancer';
  if (shownProcesses(group, engine).length > 0) return undefined;
  return `whoever reaches the pages of ${node_processes.join(' and ')} can change data or run programs: leave it out, and forward their ports with kubectl port-forward`;
}

const webNameOf = (group: string): string => `${group}-web`;

export const webName = (cluster: ClusterRecord, group: ClusterGroupRecord): string =>
  webNameOf(groupName(cluster, group));

export interface WebManifests {
  readonly service: Made;
  /** Admits everybody to the pages, and to nothing else. */
  readonly policy: Made;
  readonly ingress: Made | undefined;
}

/** The page of a process of a group. */
interface WebPage {
  readonly name: string;
  readonly port: number;
}

const pagesOf = (node: EngineNode, engine: Engine): readonly WebPage[] =>
  shownProcesses(node.group, engine).map((process) => ({ name: process.name, port: pagePortOf(process, node) }));

/** A group that shows pages, and what its objects are called. */
interface ShownGroup {
  readonly group: ClusterGroupRecord;
  readonly name: string;
  readonly pages: readonly WebPage[];
}

/** The groups that show pages. Whatever takes digests is made once for the cluster, and once for each group. */
function shownGroups(cluster: ClusterRecord, setting: ClusterSetting): readonly ShownGroup[] {
  const [nameOf, nodeOf] = [groupNames(cluster), templatesIn(cluster, setting.place)];
  return exposedGroups(cluster, setting).map((group) => ({
    group,
    name: nameOf(group),
    pages: pagesOf(nodeOf(group), setting.engine),
  }));
}

/** What shows the pages of groups outside, for each group that wants it. */
export function webManifests(cluster: ClusterRecord, setting: ClusterSetting): readonly WebManifests[] {
  return shownGroups(cluster, setting).map((shown) => {
    const { group, name, pages } = shown;
    const selector = groupSelector(cluster, group);
    const labels = { ...labelsOf(cluster), ...selector };
    const metadata = { name: webNameOf(name), namespace: setting.place.namespace, labels };
    const exposure = exposureOf(group, setting);
    const type = exposure === 'Ingress' ? 'ClusterIP' : exposure;
    const ports = pages.map(({ name, port }) => ({ name, port, targetPort: port }));
    return {
      service: { apiVersion: 'v1', kind: 'Service', metadata, spec: { type, selector, ports } },
      policy: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata,
        spec: {
          podSelector: { matchLabels: selector },
          policyTypes: ['Ingress'],
          ingress: [{ ports: pages.map(({ port }) => ({ port, protocol: 'TCP' })) }],
        },
      },
      ingress: ingressOf(shown, metadata, setting),
    };
  });
}

/** One host for each page, because the pages of the engines have absolute paths. A service that is started without a domain leaves what is there. */
function ingressOf(shown: ShownGroup, metadata: Made['metadata'], showing: PagesInput): Made | undefined {
  const { domain, className } = showing.publishing;
  if (exposureOf(shown.group, showing) !== 'Ingress' || domain === undefined) return undefined;
  const rules = shown.pages.map((page) => {
    const backend = { service: { name: metadata.name, port: { name: page.name } } };
    const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] };
    return { host: `${hostLabel(shown, page)}.${domain}`, http };
  });
  const spec = { ...(className !== undefined && { ingressClassName: className }), rules };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec };
}

const hostLabel = (group: Pick<ShownGroup, 'name'>, page: WebPage): string => `${group.name}-${page.name}`;

export interface ServiceObject extends KubeObject {
  readonly spec?: { readonly ports?: readonly { readonly port: number; readonly nodePort?: number }[] };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

/** What is known of the objects that show pages. */
export interface Outside {
  readonly services: readonly ServiceObject[];
  /** The address of a node with a pod of the group, by the name of the group. */
  readonly nodeOf: (group: string) => string | undefined;
}

const balancerOf = ({ status }: ServiceObject): string | undefined => {
  const [first] = status?.loadBalancer?.ingress ?? [];
  return first?.hostname ?? first?.ip;
};

const byName = ({ services }: Outside): ReadonlyMap<string, ServiceObject> =>
  new Map(services.map((service) => [service.metadata.name, service]));

/** Whether a load balancer of the cluster has no address yet. */
export function awaitsBalancer(cluster: ClusterRecord, showing: PagesInput, outside: Outside): boolean {
  const [services, nameOf] = [byName(outside), groupNames(cluster)];
  return exposedGroups(cluster, showing).some((group) => {
    if (wantedBy(group) !== 'LoadBalancer') return false;
    const service = services.get(webNameOf(nameOf(group)));
    return service !== undefined && balancerOf(service) === undefined;
  });
}

const isIPv6 = (host: string): boolean => host.includes(':');
const url = (host: string, port?: number): string =>
  `http://${isIPv6(host) ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;

/** The pages of the cluster, and beside each the address at which it is shown outside. */
export function withOutside(
  pages: InfoMap,
  cluster: ClusterRecord,
  setting: ClusterSetting,
  outside: Outside,
): InfoMap {
  const places = new Map<string, string>();
  const services = byName(outside);
  for (const shown of shownGroups(cluster, setting)) {
    const nodes = nodesOfGroup(cluster, shown.group, setting.place);
    const service = services.get(webNameOf(shown.name));
    for (const page of shown.pages) {
      const place = placeOf(shown, page, { publishing: setting.publishing, service, outside });
      if (place !== undefined) for (const { address } of nodes) places.set(`http://${address}:${page.port}`, place);
    }
  }
  const both = ([label, inside]: readonly [string, string]): readonly (readonly [string, string])[] => {
    const place = places.get(inside.replace(/\/$/, ''));
    const shown = [label, inside] as const;
    return place === undefined ? [shown] : [shown, [`${label} outside`, place]];
  };
  return Object.fromEntries(
    Object.entries(pages).map(([target, all]) => [target, Object.fromEntries(Object.entries(all).flatMap(both))]),
  );
}

interface PageOutside {
  readonly publishing: PublishOptions;
  /** The one that shows the pages of the group. */
  readonly service: ServiceObject | undefined;
  readonly outside: Pick<Outside, 'nodeOf'>;
}

function placeOf(shown: ShownGroup, page: WebPage, at: PageOutside): string | undefined {
  const { publishing, service, outside } = at;
  const { domain } = publishing;
  const exposure = wantedBy(shown.group);
  if (exposure === 'Ingress') return domain === undefined ? undefined : url(`${hostLabel(shown, page)}.${domain}`);
  if (service === undefined) return undefined;
  if (exposure === 'LoadBalancer') {
    const balancer = balancerOf(service);
    return balancer === undefined ? undefined : url(balancer, page.port);
  }
  const node = outside.nodeOf(shown.group.name);
  const port = service.spec?.ports?.find((each) => each.port === page.port)?.nodePort;
  return node === undefined || port === undefined ? undefined : url(node, port);
}
