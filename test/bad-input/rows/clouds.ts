// Log-ins that cannot work: a clouds.yaml with something wrong in it, and identity services that are none.
import { planted } from '../bench.ts';
import { none, ofConnection, ofWorker, secret, worker } from '../parts.ts';
import type { Told, TroubleRow } from '../row.ts';

const login = {
  auth_url: 'http://@service/v3',
  username: 'ann',
  password: planted.foreign,
  project_name: 'red',
};
const keystone = { auth: { type: 'Keystone', secretRef: { name: '@' }, cloud: 'north' } };
const north = (auth: object, more: object = {}) => JSON.stringify({ clouds: { north: { auth, ...more } } });

interface Trouble {
  readonly reason: string;
  readonly says: RegExp;
}

/** The Connection says what is wrong, its dependents wait, and everything can go. */
const row = (name: string, clouds: string, { reason, says }: Trouble): TroubleRow => {
  const waits = reason === 'CredentialsMissing' ? reason : 'DependencyNotReady';
  const told: readonly Told[] = [ofConnection(reason, says), ofWorker(waits, says)];
  const secrets = [secret('@', { 'clouds.yaml': clouds })];
  return { name, secrets, connection: keystone, parts: [worker()], told, deletable: 'during', made: 0 };
};

const missing = (says: RegExp): Trouble => ({ reason: 'CredentialsMissing', says });

export const cloudRows: readonly TroubleRow[] = [
  row(
    'clouds.yaml: no YAML',
    `clouds: {\n password: ${planted.foreign}`,
    missing(/Secret @: clouds\.yaml: it is not valid YAML: correct line 2/),
  ),
  row('clouds.yaml: no clouds', 'cloud: {}', missing(/Secret @: clouds\.yaml: clouds is missing/)),
  row(
    'clouds.yaml: another cloud',
    JSON.stringify({ clouds: { south: { auth: login } } }),
    missing(/it has no cloud north: it has south; correct spec\.auth\.cloud/),
  ),
  row(
    'clouds.yaml: no auth_url',
    north({ ...login, auth_url: '' }),
    missing(/clouds\.north\.auth\.auth_url is missing: set it/),
  ),
  row(
    'clouds.yaml: a token in the auth_url',
    north({ ...login, auth_url: `http://@service/v3?token=${planted.foreign}` }),
    missing(/clouds\.north\.auth\.auth_url must not contain a user, password/),
  ),
  row(
    'clouds.yaml: no password',
    north({ ...login, password: '' }),
    missing(/auth\.password is missing: set it, or use an application/),
  ),
  row(
    'clouds.yaml: no project',
    north({ ...login, project_name: '' }),
    missing(/auth\.project_name is missing: set it, or project_id/),
  ),
  row(
    'clouds.yaml: half an application credential',
    north({ auth_url: 'http://@service/v3', application_credential_secret: planted.foreign }),
    missing(/auth\.application_credential_id is missing/),
  ),
  row(
    'clouds.yaml: another auth_type',
    north(login, { auth_type: 'v3totp' }),
    missing(/north\.auth_type must be v3password or v3applicationcredential/),
  ),
  row(
    'clouds.yaml: an odd interface',
    north(login, { interface: 'inside' }),
    missing(/north\.interface must be public, internal or admin/),
  ),
  row(
    'clouds.yaml: a path in cacert',
    north(login, { cacert: '/etc/ca.pem' }),
    missing(/north\.cacert must be a certificate in PEM format, not a path/),
  ),
  row('no identity service at auth_url', north(login), {
    reason: 'Unauthorized',
    says: /cannot authenticate at http:\/\/.*\/v3: the identity service does not accept the credentials/,
  }),
  row('nobody at auth_url', north({ ...login, auth_url: 'http://127.0.0.1:9' }), {
    reason: 'UpstreamError',
    says: /cannot authenticate at http:\/\/127\.0\.0\.1:9\/v3: .*connection refused\. Check auth_url in clouds\.yaml/,
  }),
  {
    name: 'a Secret without clouds.yaml',
    secrets: [secret('@', { 'clouds.yml': planted.foreign })],
    connection: keystone,
    parts: [worker()],
    told: [ofConnection('CredentialsMissing', /Secret @ has no key "clouds\.yaml": add it/)],
    ...none,
  },
];
