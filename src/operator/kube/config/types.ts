// What a configuration says of an API server: its address, whom to trust, and how to authenticate.
import type { Clock } from '../../../lib/ports.ts';

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** What authenticates one request. Never logged, never part of an error. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface Trust {
  readonly ca?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

export interface ClusterConfig {
  /** Scheme, host and port, and a path where the API server lives below one. */
  readonly server: string;
  /** The namespace of this process, or of the kubeconfig's context. */
  readonly namespace: string;
  readonly trust: Trust;
  /** Cached; reads files and runs plugins again when it is time. Rejects when they fail. */
  credentials(): Promise<Credentials>;
  /** The server refused the credentials: the next call of `credentials` reads them anew. */
  renew(): void;
}

export interface KubeconfigOptions {
  /** Merged in this order; the first one's current context counts. */
  readonly paths: readonly string[];
  readonly context: string | undefined;
  readonly clock: Clock;
}

/** The files as they were when they were read. */
export interface Kubeconfig {
  readonly server: string;
  readonly namespace: string;
  trust(): Promise<Trust>;
  /** Reads the files that it names, and runs plugins. */
  authenticate(): Promise<Credentials>;
}
