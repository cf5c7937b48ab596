// A log-in that lasts: its token is renewed before it ends and after it was refused, by one request at a time, and not too often.
import type { Clock, Random } from '../../../lib/ports.ts';
import { ServiceError } from '../../../wire/errors/errors.ts';
import type { ServiceCredentials } from '../credentials.ts';
import { type KeystoneLogin, loginError } from './keystone.ts';

export interface SessionOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** One log-in; rejects with a ServiceError. */
  readonly logIn: () => Promise<KeystoneLogin>;
}

interface Held {
  readonly login: KeystoneLogin;
  /** All on the monotonic clock. */
  readonly since: number;
  readonly renewAt: number;
  readonly endsAt: number;
}

const longestMarginMs = 60_000;
/** A token that was refused before this age: the next one may be refused as well. */
const youngMs = 60_000;
const longestPauseMs = 300_000;
/** After a log-in that was not accepted: many of them may lock the account. */
const refusedPauseMs = 30_000;
const shortPauseMs = 1_000;

/** Doubles with each failure in a row, up to five minutes. */
const pauseAfter = (failures: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(failures - 1, 16), longestPauseMs);

export class Session {
  readonly #options: SessionOptions;
  #held: Held | undefined;
  #flight: Promise<KeystoneLogin> | undefined;
  #failed: { readonly error: ServiceError; readonly count: number; readonly until: number } | undefined;
  /** Tokens that were refused young, one after the other, and when the next refusal leads to a log-in. */
  #refusals = { count: 0, until: Number.NEGATIVE_INFINITY };

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The log-in of now: a kept one, or the one that is under way, or a new one. Rejects with a ServiceError. */
  async login(): Promise<KeystoneLogin> {
    const now = this.#options.clock.monotonic();
    const held = this.#held;
    if (held !== undefined && now < held.renewAt) return held.login;
    try {
      return await this.#renew(now);
    } catch (error) {
      // What is still good serves on while the identity service does not.
      if (held !== undefined && held === this.#held && this.#options.clock.monotonic() < held.endsAt) return held.login;
      throw error;
    }
  }

  /** For requests into this project: a token of another one is not given out. */
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
    const held = this.#held;
    if (held === undefined || held.login.token !== token) return true;
    const now = this.#options.clock.monotonic();
    if (now < this.#refusals.until) return false;
    const count = now - held.since < youngMs ? this.#refusals.count + 1 : 1;
    this.#refusals = { count, until: now + pauseAfter(count, shortPauseMs) };
    this.#held = undefined;
    return true;
  }

  #renew(now: number): Promise<KeystoneLogin> {
    if (this.#flight !== undefined) return this.#flight;
    const failed = this.#failed;
    if (failed !== undefined && now < failed.until) return Promise.reject(laterBy(failed.error, failed.until - now));
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
      this.#hold(login, now);
      return login;
    } catch (error) {
      if (error instanceof ServiceError) throw this.#fail(error);
      throw error;
    }
  }

  /** `since`: before its request was sent, so that it never seems younger than it is. */
  #hold(login: KeystoneLogin, since: number): void {
    const share = 0.75 + this.#options.random.next() / 2;
    const marginMs = Math.min(longestMarginMs, login.lifetimeMs / 5) * share;
    const endsAt = since + login.lifetimeMs;
    this.#held = { login, since, endsAt, renewAt: endsAt - marginMs };
  }

  #fail(error: ServiceError): ServiceError {
    const count = (this.#failed?.count ?? 0) + 1;
    const firstMs = error.category === 'unauthorized' ? refusedPauseMs : shortPauseMs;
    const pauseMs = Math.max(
      pauseAfter(count, firstMs) * (0.5 + this.#options.random.next() / 2),
      error.retryAfterMs ?? 0,
    );
    this.#failed = { error, count, until: this.#options.clock.monotonic() + pauseMs };
    return laterBy(error, pauseMs);
  }
}

/** Why a token of this log-in is not for `project`. */
export function explainProject({ project }: KeystoneLogin, wanted: string): string {
  if (project === undefined) return 'the log-in is for no project: set project_name or project_id in clouds.yaml';
  return `the log-in is for project ${project.id} (${project.name}), and not for tenant ${wanted}: correct the project in clouds.yaml, or make a new Connection for the other tenant`;
}

/** The same failure, with the time after which it is worth another try. */
function laterBy(error: ServiceError, ms: number): ServiceError {
  const { category, why, status } = error;
  return loginError({ category, why, retryAfterMs: ms, ...(status !== undefined && { status }) });
}
