// From where the files of jobs are not fetched, besides the networks of flags. PURE.
import type { FetchRules } from '../../../lib/fetch/guarded.ts';
import { pods } from './api/api.ts';
import type { Informers } from './api/informers.ts';
import type { PodObject } from './clusters/conditions.ts';
import type { PodSettings } from './flags.ts';

type FetchSettings = Pick<PodSettings, 'allow-fetch-from' | 'deny-fetch-from' | 'cluster-domain'>;

interface FetchSurroundings {
  /** The address of the API server. */
  readonly server: string;
  /** The service is in the Kubernetes cluster. */
  readonly isInside: boolean;
  readonly informers: Pick<Informers, 'list'>;
}

/** Those of the pod, and of the node that it is on. */
const addressesOf = ({ status = {} }: PodObject): readonly string[] => [
  ...[status.podIP, status.hostIP].filter((address) => address !== undefined),
  ...[...(status.podIPs ?? []), ...(status.hostIPs ?? [])].map(({ ip }) => ip),
];

/**
 * Files of jobs do not come from the API server, nor from the pods that the service watches and their nodes. In the cluster, they do not come from Services
 * and pods behind them either.
 */
export function fetchRulesOf(
  { 'allow-fetch-from': allowed, 'deny-fetch-from': denied, 'cluster-domain': domain }: FetchSettings,
  { server, isInside, informers }: FetchSurroundings,
): FetchRules {
  const { hostname } = new URL(server);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    allowed,
    denied,
    deniedHosts: () => [host, ...informers.list<PodObject>(pods).flatMap(addressesOf)],
    clusterDomain: isInside ? domain : undefined,
  };
}
