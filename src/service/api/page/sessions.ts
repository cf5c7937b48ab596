// Who has signed in on the page. The cookie has a random word in place of the token, because browsers send it to all ports of a host.
import type { Clock } from '../../../lib/ports.ts';
import { digestOf } from '../../../lib/secrets.ts';

interface Session {
  readonly token: string;
  readonly until: number;
}

const cookieName = 'dataprocessing-page';
const sessionMs = 8 * 3_600_000;
const mostSessions = 1_000;

interface SessionOptions {
  readonly clock: Clock;
  /** A new secret for each session. */
  readonly draw: () => string;
}

export class Sessions {
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Returns the cookie. The token must be valid. Beyond the maximum, the oldest session ends. */
  begin(token: string, isSecure: boolean): string {
    const { clock, draw } = this.#options;
    const secret = draw();
    this.#sessions.set(keyOf(secret), { token, until: clock.monotonic() + sessionMs });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
    return cookie(secret, isSecure);
  }

  tokenOf(header: string | undefined): string | undefined {
    const key = keyOf(secretIn(header));
    const session = this.#sessions.get(key);
    if (session === undefined || this.#options.clock.monotonic() < session.until) return session?.token;
    this.#sessions.delete(key);
    return undefined;
  }

  /** Returns a cookie that replaces that of the session. */
  end(header: string | undefined): string {
    this.#sessions.delete(keyOf(secretIn(header)));
    return `${cookie('', false)}; Max-Age=0`;
  }
}

const keyOf = (secret: string): string => digestOf(secret).toString('base64');

const cookie = (value: string, isSecure: boolean): string =>
  `${cookieName}=${value}; Path=/page; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

function secretIn(header = ''): string {
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${cookieName}=`));
  return found?.slice(cookieName.length + 1) ?? '';
}
