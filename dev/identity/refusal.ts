// The refusals of the Keystone for tests, in the words and the form of Keystone.
import { STATUS_CODES } from 'node:http';

export class IdentityRefusal extends Error {
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The message does not reveal which part of the credentials is wrong. */
export const unauthorized = () => new IdentityRefusal(401, 'The request you have made requires authentication.');

/** Keystone does reveal this, and only for application credentials. */
export const noApplicationCredential = (named: unknown) =>
  new IdentityRefusal(404, `Could not find Application Credential: ${String(named).slice(0, longestName)}.`);

const longestName = 255;

export const incomplete = (attribute: string, target: string) =>
  new IdentityRefusal(
    400,
    `Expecting to find ${attribute} in ${target}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
  );

export const renderIdentityRefusal = (status: number, message: string): string =>
  JSON.stringify({ error: { code: status, message, title: STATUS_CODES[status] ?? 'Unknown' } });
