// Keeps a token valid: renews it before it expires and after a 401, with one login at a time and a backoff.

import type { Clock, Random } from '../../../lib/ports.ts';
import { backoffLimitMs } from '../../../lib/timing/backoff.ts';
import { ServiceError } from '../../../wire/errors/service-error.ts';
import type { ServiceCredentials } from '../service-credentials.ts';
import { type KeystoneLogin, loginError } from './keystone.ts';

interface SessionOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Rejects with a ServiceError. */
  readonly logIn: () => Promise<KeystoneLogin>;
}

interface CurrentLogin {
  readonly login: KeystoneLogin;
  /** Monotonic ms, like the next two. */
  readonly since: number;
  readonly renewAt: number;
  readonly expiresAt: number;
}

const longestMarginMs = 60_000;
/** If a token is rejected before this age, the next one may be rejected as well. */
const youngMs = 60_000;
const longestPauseMs = 300_000;
/** After rejected credentials, because many attempts may lock the account. */
const rejectedPauseMs = 30_000;
const shortPauseMs = 1_000;

/** Doubles with each failure in a row, up to `longestPauseMs`. */
function pauseAfter(failures: number, firstMs: number): number {
  return backoffLimitMs({ failures, firstMs, maxMs: longestPauseMs });
}

export class Session {
  readonly #options: SessionOptions;
  #current: CurrentLogin | undefined;
  #flight: Promise<KeystoneLogin> | undefined;
  #failed: { readonly error: ServiceError; readonly count: number; readonly until: number } | undefined;
  /** The number of young tokens in a row that were rejected, and when the next rejection may lead to a login. */
  #rejections = { count: 0, until: Number.NEGATIVE_INFINITY };

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The current login, the one in progress, or a new one. Rejects with a ServiceError. */
  async login(): Promise<KeystoneLogin> {
    const now = this.#options.clock.monotonic();
    const current = this.#current;
    if (current !== undefined && now < current.renewAt) return current.login;
    try {
      return await this.#renew(now);
    } catch (error) {
      // While the identity service fails, a token is used until it expires.
      if (current !== undefined && current === this.#current && this.#options.clock.monotonic() < current.expiresAt)
        return current.login;
      throw error;
    }
  }

  /** Credentials for this project. They reject if the token is for another project. */
  credentials(project: string): ServiceCredentials {
    return {
      token: async () => {
        const login = await this.login();
        if (login.project?.id === project) return login.token;
        throw loginError({ category: 'unauthorized', why: explainProject(login, project) });
      },
      rejected: (token) => this.#rejected(token),
    };
  }

  #rejected(token: string): boolean {
    const current = this.#current;
    if (current === undefined || current.login.token !== token) return true;
    const now = this.#options.clock.monotonic();
    if (now < this.#rejections.until) return false;
    const count = now - current.since < youngMs ? this.#rejections.count + 1 : 1;
    this.#rejections = { count, until: now + pauseAfter(count, shortPauseMs) };
    this.#current = undefined;
    return true;
  }

  #renew(now: number): Promise<KeystoneLogin> {
    if (this.#flight !== undefined) return this.#flight;
    const failed = this.#failed;
    if (failed !== undefined && now < failed.until) return Promise.reject(retryIn(failed.error, failed.until - now));
    const flight = this.#logIn(now).finally(() => {
      this.#flight = undefined;
    });
    this.#flight = flight;
    return flight;
  }

  async #logIn(now: number): Promise<KeystoneLogin> {
    try {
      const login = await this.#options.logIn();
      this.#failed = undefined;
      this.#keep(login, now);
      return login;
    } catch (error) {
      if (error instanceof ServiceError) throw this.#fail(error);
      throw error;
    }
  }

  /** `since` is the time before the request, so that the token never seems younger than it is. */
  #keep(login: KeystoneLogin, since: number): void {
    const share = 0.75 + this.#options.random.next() / 2;
    const marginMs = Math.min(longestMarginMs, login.lifetimeMs / 5) * share;
    const expiresAt = since + login.lifetimeMs;
    this.#current = { login, since, expiresAt, renewAt: expiresAt - marginMs };
  }

  #fail(error: ServiceError): ServiceError {
    const count = (this.#failed?.count ?? 0) + 1;
    const firstMs = error.category === 'unauthorized' ? rejectedPauseMs : shortPauseMs;
    const pauseMs = Math.max(
      pauseAfter(count, firstMs) * (0.5 + this.#options.random.next() / 2),
      error.retryAfterMs ?? 0,
    );
    this.#failed = { error, count, until: this.#options.clock.monotonic() + pauseMs };
    return retryIn(error, pauseMs);
  }
}

/** Why the login cannot be used for the project `wanted`. */
export function explainProject({ project }: KeystoneLogin, wanted: string): string {
  if (project === undefined) return 'the token has no project: set project_name or project_id in clouds.yaml';
  return `the token is for project ${project.id} (${project.name}), not for tenant ${wanted}: correct the project in clouds.yaml, or create another Connection for the other tenant`;
}

/** The same error with another Retry-After. */
function retryIn(error: ServiceError, ms: number): ServiceError {
  const { category, why, status } = error;
  return loginError({ category, why, retryAfterMs: ms, ...(status !== undefined && { status }) });
}
