// Authenticates the body of a request for a token. PURE.
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { isSameSecret } from '../../src/lib/secrets.ts';
import type { Accounts, ApplicationCredential, Named, User } from './accounts.ts';
import { IdentityRefusal, incomplete, noApplicationCredential, unauthorized } from './refusal.ts';
import type { Attempt } from './throttle.ts';

/** The authenticated user, the method and the project. Without a project the token is unscoped. */
export interface IdentifiedUser {
  readonly method: 'password' | 'application_credential';
  readonly user: User;
  readonly project: Named | undefined;
  readonly applicationCredential: ApplicationCredential | undefined;
}

/** Throws the 400 of Keystone unless `field` is an object. */
function objectIn(fields: JsonObject, field: string, target: string): JsonObject {
  const value = fields[field];
  if (!isJsonObject(value)) throw incomplete(field, target);
  return value;
}

function textIn(fields: JsonObject, field: string, target: string): string {
  const value = fields[field];
  if (typeof value !== 'string') throw incomplete(field, target);
  return value;
}

/** Finds an item by id, or by name and domain. Undefined if there is none. */
function meant<T extends Named>(all: readonly T[], fields: JsonObject, target: string): T | undefined {
  if (typeof fields['id'] === 'string') return all.find(({ id }) => id === fields['id']);
  const name = textIn(fields, 'name', target);
  const domain = objectIn(fields, 'domain', target);
  if (domain['id'] === undefined && domain['name'] === undefined) throw incomplete('id or name', 'domain');
  return all.find((one) => one.name === name && (one.domain.id === domain['id'] || one.domain.name === domain['name']));
}

/** A key for the account of the attempt, even if the account does not exist. */
const accountOf = (kind: string, found: { readonly id: string } | undefined, fields: JsonObject): string =>
  found === undefined
    ? `no ${kind} ${JSON.stringify([fields['id'], fields['name'], fields['domain']])}`
    : `${kind} ${found.id}`;

/** Throws unless the secret is right. Takes the same time if the account does not exist. */
function checkSecret(attempt: Attempt, given: string, right: string | undefined): void {
  if (isSameSecret(given, right ?? '') && right !== undefined) return;
  attempt.failed();
  throw unauthorized();
}

function passwordUser(accounts: Accounts, method: JsonObject, attempt: Attempt): User {
  const fields = objectIn(method, 'user', 'password');
  const password = textIn(fields, 'password', 'user');
  const user = meant(accounts.users, fields, 'user');
  attempt.on(accountOf('user', user, fields));
  checkSecret(attempt, password, user?.password);
  return user as User;
}

function credentialOf(accounts: Accounts, method: JsonObject, attempt: Attempt): ApplicationCredential {
  const { users, applicationCredentials } = accounts;
  const secret = textIn(method, 'secret', 'application_credential');
  const byId = typeof method['id'] === 'string';
  const name = byId ? undefined : textIn(method, 'name', 'application_credential');
  const owner = byId ? undefined : meant(users, objectIn(method, 'user', 'application_credential'), 'user');
  const found = applicationCredentials.find((one) =>
    byId ? one.id === method['id'] : one.name === name && one.user.id === owner?.id,
  );
  attempt.on(accountOf('application credential', found, method));
  if (found === undefined && (byId || owner !== undefined)) {
    attempt.failed();
    throw noApplicationCredential(byId ? method['id'] : name);
  }
  checkSecret(attempt, secret, found?.secret);
  return found as ApplicationCredential;
}

/** The project of the scope. Undefined without a scope. */
function projectOf(accounts: Accounts, user: User, auth: JsonObject): Named | undefined {
  if (auth['scope'] === undefined || auth['scope'] === 'unscoped') return undefined;
  const scope = objectIn(auth, 'scope', 'auth');
  if (scope['project'] === undefined) throw unauthorized();
  const project = meant(accounts.projects, objectIn(scope, 'project', 'scope'), 'project');
  if (project === undefined || !user.projects.includes(project.id)) throw unauthorized();
  return project;
}

/** Throws an IdentityRefusal. */
export function logIn(accounts: Accounts, body: unknown, attempt: Attempt): IdentifiedUser {
  const auth = objectIn((body ?? {}) as JsonObject, 'auth', 'request body');
  const identity = objectIn(auth, 'identity', 'auth');
  const methods = identity['methods'];
  if (!Array.isArray(methods)) throw incomplete('methods', 'identity');
  const [method, ...others] = methods as readonly unknown[];
  if (others.length > 0 || (method !== 'password' && method !== 'application_credential')) {
    throw new IdentityRefusal(401, 'Attempted to authenticate with an unsupported method.');
  }
  const proof = objectIn(identity, method, 'identity');
  if (method === 'password') {
    const user = passwordUser(accounts, proof, attempt);
    return { method, user, project: projectOf(accounts, user, auth), applicationCredential: undefined };
  }
  if (auth['scope'] !== undefined) {
    throw new IdentityRefusal(401, 'Application credentials cannot request a scope.');
  }
  const applicationCredential = credentialOf(accounts, proof, attempt);
  const { user, project } = applicationCredential;
  return { method, user, project, applicationCredential };
}
