// The configuration of an API server: its address, trusted CA and credentials.
import type { Clock } from '../../lib/ports.ts';

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Authenticates one request. Never logged and never part of an error. */
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
  /** Scheme, host and port, and a path if the API server is served below one. */
  readonly server: string;
  /** The namespace of this process, or of the kubeconfig's context. */
  readonly namespace: string;
  readonly trust: Trust;
  /** Cached for a while. Rejects if files or plugins fail. */
  credentials(): Promise<Credentials>;
  /** After a 401: the next call of `credentials` reads them again. */
  renew(): void;
}

export interface KubeconfigOptions {
  /** Merged in this order. The current context of the first file that has one applies. */
  readonly paths: readonly string[];
  readonly context: string | undefined;
  readonly clock: Clock;
}
