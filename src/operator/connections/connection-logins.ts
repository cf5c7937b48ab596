// The log-ins behind Connections: one session each, kept as long as its clouds.yaml and the way there stay the same.
import type { Clock, Random } from '../../lib/ports.ts';
import { ServiceError } from '../../wire/errors/service-error.ts';
import { type Proxies, proxyFor } from '../client/http/proxy.ts';
import { createTransport, type Transport } from '../client/http/service-transport.ts';
import { type Cloud, CloudsError, readCloud } from '../client/login/clouds.ts';
import { type KeystoneLogin, logIn, loginError } from '../client/login/keystone.ts';
import { findEndpoint } from '../client/login/service-catalogue.ts';
import { explainProject, Session } from '../client/login/session.ts';
import { fixedToken, noCredentials, type ServiceCredentials } from '../client/service-credentials.ts';
import type { LogIn, LoginRequest, Settings } from './pass/service-registry.ts';

export interface LogInsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly proxies?: Proxies | undefined;
  /** For tests: how every identity service is reached. */
  readonly transport?: Transport | undefined;
}

interface KnownLogin {
  /** What identifies the session. */
  readonly of: string;
  readonly cloud: Cloud;
  readonly session: Session;
  close(): void;
}

/** A log-in gives up before those who wait for it do, so that they receive the reason. */
const shareOfTimeout = 0.75;

export class LogIns {
  readonly #options: LogInsOptions;
  readonly #known = new Map<string, KnownLogin>();

  constructor(options: LogInsOptions) {
    this.#options = options;
  }

  /** Assigns this Connection the session of these settings. A string: why there can be none. */
  open(name: string, wanted: LoginRequest): KnownLogin | string {
    const { authentication, ca, insecureSkipVerify, timeoutMs } = wanted;
    const of = JSON.stringify([authentication, ca, insecureSkipVerify, timeoutMs]);
    const before = this.#known.get(name);
    if (before?.of === of) return before;
    this.forget(name);
    if (authentication.type !== 'keystone') return 'spec.auth.type is not Keystone';
    try {
      const known = this.#start(of, readCloud(authentication.clouds, authentication.cloud), wanted);
      this.#known.set(name, known);
      return known;
    } catch (error) {
      if (error instanceof CloudsError) return `clouds.yaml: ${error.message}`;
      throw error;
    }
  }

  /** The credentials that requests of this Connection carry. Where they need a log-in, it must have been opened before. */
  credentials(name: string, { authentication, tenant }: Settings): ServiceCredentials {
    switch (authentication.type) {
      case 'none':
        return noCredentials();
      case 'token':
        return fixedToken(authentication.token);
      case 'keystone':
        return this.#known.get(name)?.session.credentials(tenant) ?? noCredentials();
    }
  }

  forget(name: string): void {
    this.#known.get(name)?.close();
    this.#known.delete(name);
  }

  close(): void {
    for (const known of this.#known.values()) known.close();
    this.#known.clear();
  }

  #start(of: string, cloud: Cloud, wanted: LoginRequest): KnownLogin {
    const { clock, random, proxies, transport: injected } = this.#options;
    const { origin } = new URL(cloud.authUrl);
    const own = injected
      ? undefined
      : createTransport(tlsOf(cloud, wanted), { origin, proxy: proxies && proxyFor(origin, proxies) });
    const transport = (injected ?? own) as Transport;
    const way = { clock, transport, timeoutMs: wanted.timeoutMs * shareOfTimeout };
    const session = new Session({ clock, random, logIn: () => logIn(cloud, way) });
    return { of, cloud, session, close: () => void own?.destroy().catch(() => undefined) };
  }
}

/** Certificates of the Connection and of the cloud count for both the identity service and the service itself. */
function tlsOf({ ca, verify }: Cloud, wanted: LoginRequest) {
  const bundles = [wanted.ca, ca].filter((pem) => pem !== undefined);
  return {
    ca: bundles.length === 0 ? undefined : bundles.join('\n'),
    insecureSkipVerify: wanted.insecureSkipVerify || !verify,
  };
}

/** Logs in unless there is a good token, and fills in what the user left to the log-in. */
export async function complete(
  { cloud, session }: Pick<KnownLogin, 'cloud' | 'session'>,
  wanted: LoginRequest,
): Promise<LogIn> {
  const at = cloud.authUrl;
  try {
    const login = await session.login();
    const place = wanted.endpoint === undefined ? findEndpoint(login.catalogue, cloud) : undefined;
    if (place?.found === false)
      return { state: 'failed', at, error: loginError({ category: 'rejected', why: place.why }) };
    const { project } = login;
    const endpoint = wanted.endpoint ?? (place?.found ? place.endpoint : '');
    if (project === undefined) return { state: 'failed', at, error: elsewhere(login, '') };
    // Of the project that the log-in is for: a resource pinned to another tenant notices by itself.
    const settings: Settings = { ...wanted, ...tlsOf(cloud, wanted), endpoint, tenant: project.id };
    const wrong = wanted.tenant !== undefined && wanted.tenant !== project.id;
    return wrong
      ? { state: 'elsewhere', at, settings, error: elsewhere(login, wanted.tenant) }
      : { state: 'in', settings };
  } catch (error) {
    if (error instanceof ServiceError) return { state: 'failed', at, error };
    throw error;
  }
}

function elsewhere(login: KeystoneLogin, tenant: string): ServiceError {
  return loginError({ category: 'unauthorized', why: explainProject(login, tenant) });
}
