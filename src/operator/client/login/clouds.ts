// Reads one cloud of a clouds.yaml, with a password or an application credential.
import { LineCounter, parseDocument } from 'yaml';

/** Never logged, because it contains secrets. */
export interface Cloud {
  /** Ends with `/v3`. */
  readonly authUrl: string;
  /** `auth.identity` of the token request. An application credential has an id, or a name and a user. */
  readonly identity: {
    readonly methods: readonly string[];
    readonly application_credential?: { readonly id?: string };
  };
  /** `auth.scope` of the token request; undefined for an application credential, which implies its project. */
  readonly scope: object | undefined;
  /** Defaults to the first region of the catalog. */
  readonly region: string | undefined;
  readonly interface: 'public' | 'internal' | 'admin';
  /** PEM, trusted in addition to the CA of the Connection. */
  readonly ca: string | undefined;
  /** If false, any certificate is accepted. */
  readonly verify: boolean;
  /** Texts to redact. */
  readonly secrets: readonly string[];
}

/** A clouds.yaml is invalid. The message names the field and the remedy, but no value that may be secret. */
export class CloudsError extends Error {
  override readonly name = 'CloudsError';
}

/** A map of the file. Every scalar is a string, so that no password becomes a number. */
class CloudFields {
  readonly #path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** `path` is empty for the whole file. Throws CloudsError if `value` is not a map. */
  constructor(path: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new CloudsError(`${path === '' ? 'the file' : path} must be a map of fields`);
    }
    this.#path = path;
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  get names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  map(name: string): CloudFields {
    if (!Object.hasOwn(this.#fields, name)) throw this.wrong(name, 'is missing');
    return new CloudFields(this.#pathTo(name), this.#fields[name]);
  }

  /** The value of the first of these fields that is set. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw this.wrong(name, 'must be a string');
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
    return undefined;
  }

  need(name: string, remedy: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.wrong(name, `is missing: ${remedy}`);
    return value;
  }

  wrong(name: string, what: string): CloudsError {
    return new CloudsError(`${this.#pathTo(name)} ${what}`);
  }

  #pathTo(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

/** The messages of the parser quote the file, so they are not repeated. */
function parse(text: string): unknown {
  const lines = new LineCounter();
  // The failsafe schema reads every scalar as a string, also a password of digits.
  const document = parseDocument(text, {
    schema: 'failsafe',
    // As the tools of OpenStack, which read YAML 1.1.
    merge: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new CloudsError(`it is not valid YAML: correct line ${line}, column ${col}`);
  }
  try {
    return document.toJS();
  } catch {
    throw new CloudsError('it is not valid YAML: it has an unknown alias, or too many');
  }
}

function authUrlOf(auth: CloudFields): string {
  const text = auth
    .need('auth_url', 'set it to the address of the identity service, https://identity.example.com/v3')
    .trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw auth.wrong('auth_url', 'must begin with http:// or https://');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw auth.wrong('auth_url', 'must not contain a user, password, query or fragment');
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  if (base.endsWith('/v2.0'))
    throw auth.wrong('auth_url', 'is for version 2.0 of the identity API: replace /v2.0 by /v3');
  return base.endsWith('/v3') ? base : `${base}/v3`;
}

/** As in the OpenStack CLI: the given domain, the default of the file, or the domain with the id `default`. */
function domainOf(auth: CloudFields, role: 'user' | 'project'): object {
  const id = auth.text(`${role}_domain_id`);
  if (id !== undefined) return { id };
  const name = auth.text(`${role}_domain_name`) ?? auth.text('default_domain_name');
  return name === undefined ? { id: auth.text('default_domain_id') ?? 'default' } : { name };
}

function userOf(auth: CloudFields): object {
  const id = auth.text('user_id');
  if (id !== undefined) return { id };
  return { name: auth.need('username', 'set it, or user_id'), domain: domainOf(auth, 'user') };
}

type CloudLogin = Pick<Cloud, 'identity' | 'scope' | 'secrets'>;

function passwordLogin(auth: CloudFields): CloudLogin {
  const user = userOf(auth);
  const password = auth.need('password', 'set it, or use an application credential');
  const id = auth.text('project_id', 'tenant_id');
  const name = auth.text('project_name', 'tenant_name');
  if (id === undefined && name === undefined)
    throw auth.wrong('project_name', 'is missing: set it, or project_id, to the project of your clusters');
  const project = id === undefined ? { name, domain: domainOf(auth, 'project') } : { id };
  const identity = { methods: ['password'], password: { user: { ...user, password } } };
  return { identity, scope: { project }, secrets: [password] };
}

function credentialLogin(auth: CloudFields): CloudLogin {
  const secret = auth.need(
    'application_credential_secret',
    'set it to the secret that was shown when you created the application credential',
  );
  const id = auth.text('application_credential_id');
  if (id === undefined && auth.text('application_credential_name') === undefined)
    throw auth.wrong('application_credential_id', 'is missing: set it, or application_credential_name with the user');
  const which = id === undefined ? { name: auth.text('application_credential_name'), user: userOf(auth) } : { id };
  const identity = { methods: ['application_credential'], application_credential: { ...which, secret } };
  return { identity, scope: undefined, secrets: [secret] };
}

function loginOf(cloud: CloudFields, auth: CloudFields): CloudLogin {
  const type = cloud.text('auth_type');
  switch (type) {
    case undefined:
      return auth.text('application_credential_secret') === undefined ? passwordLogin(auth) : credentialLogin(auth);
    case 'password':
    case 'v3password':
      return passwordLogin(auth);
    case 'v3applicationcredential':
      return credentialLogin(auth);
    default:
      throw cloud.wrong('auth_type', 'must be v3password or v3applicationcredential');
  }
}

function interfaceOf(cloud: CloudFields): Cloud['interface'] {
  const field = cloud.text('interface') === undefined ? 'endpoint_type' : 'interface';
  const word = (cloud.text(field) ?? 'public').replace(/URL$/, '');
  if (word === 'public' || word === 'internal' || word === 'admin') return word;
  throw cloud.wrong(field, 'must be public, internal or admin');
}

function flagOf(cloud: CloudFields, name: 'verify' | 'insecure'): boolean | undefined {
  const word = cloud.text(name)?.toLowerCase();
  if (word === undefined) return undefined;
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  if (['false', 'no', 'off', '0'].includes(word)) return false;
  throw cloud.wrong(name, 'must be true or false');
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

function caOf(cloud: CloudFields): string | undefined {
  const ca = cloud.text('cacert');
  if (ca !== undefined && !certificate.test(ca))
    throw cloud.wrong(
      'cacert',
      'must be a certificate in PEM format, not a path: paste it here, or reference a Secret in spec.tls.caSecretRef',
    );
  return ca;
}

/** Throws a CloudsError, whose message follows `clouds.yaml: `. */
export function readCloud(text: string, name: string): Cloud {
  const clouds = new CloudFields('', parse(text)).map('clouds');
  if (!clouds.names.includes(name)) {
    const found = clouds.names.length === 0 ? 'it has none' : `it has ${clouds.names.slice(0, 20).join(', ')}`;
    throw new CloudsError(`it has no cloud ${name}: ${found}; correct spec.auth.cloud`);
  }
  const cloud = clouds.map(name);
  const auth = cloud.map('auth');
  if (cloud.text('cert', 'key') !== undefined)
    throw cloud.wrong('cert', 'is not supported, because the operator has no client certificate: remove it');
  return {
    authUrl: authUrlOf(auth),
    ...loginOf(cloud, auth),
    region: cloud.text('region_name'),
    interface: interfaceOf(cloud),
    ca: caOf(cloud),
    verify: flagOf(cloud, 'verify') ?? !(flagOf(cloud, 'insecure') ?? false),
  };
}
