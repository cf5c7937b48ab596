// What commands reach: the API server, and the services behind Connections.
import type { PodTransport } from '../kube/http/transport.ts';
import type { Objects } from './objects.ts';

export interface Reach {
  readonly objects: Objects;
  readonly transport: PodTransport;
  /** A file with a token for the service, in place of the Secret of the Connection. */
  readonly tokenFile: string | undefined;
  /** Names of Services are those of the cluster here. Elsewhere any resolver may answer for them, and its server must not get the token. */
  readonly isInCluster: boolean;
}
