// From the spec of a Connection and its Secrets to the settings of a service, or what is missing. PURE.

import type { Dialect } from '../../../wire/dialect.ts';
import type { RawResource, Spec } from '../../api/definition.ts';
import { sharedConnectionKind } from '../../api/shared-api.ts';
import { connection } from '../../kinds/connection/schema.ts';
import { sharedConnection } from '../../kinds/connection/shared-schema.ts';
import { type Key } from '../../reconcile/pass-ports.ts';
import { keyProblem, noSecret, valueOf } from '../../reconcile/resource/secret-values.ts';
import type { Authentication, LoginRequest } from './service-registry.ts';

/** What both kinds have. */
export type ConnectionSpec = Spec<typeof connection>;

export function definitionOf(kind: string): typeof connection | typeof sharedConnection {
  return kind === sharedConnectionKind ? sharedConnection : connection;
}

const defaults = { timeoutSeconds: 30, pollSeconds: 30 } as const;
const tokenKey = 'token';
const cloudsKey = 'clouds.yaml';
const caKey = 'ca.crt';

const dialects: Readonly<Record<NonNullable<ConnectionSpec['dialect']>, Dialect>> = {
  Neutral: 'neutral',
  Sahara: 'sahara',
  Savanna: 'savanna',
};

/** The Secrets that a Connection or SharedConnection refers to, read from a spec of any shape. */
export function secretKeys(resource: RawResource): readonly Key[] {
  const { auth, tls } = (resource.spec ?? {}) as {
    auth?: { secretRef?: { name?: unknown } };
    tls?: { caSecretRef?: { name?: unknown } };
  };
  const names = [auth?.secretRef?.name, tls?.caSecretRef?.name];
  const given = new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''));
  const namespace = secretsNamespace(resource);
  return [...given].map((name) => ({ kind: 'Secret', namespace, name }));
}

/** Those of a SharedConnection are all in one namespace. */
function secretsNamespace({ kind, metadata, spec }: RawResource): string {
  if (kind !== sharedConnectionKind) return metadata.namespace;
  const { credentialsNamespace } = (spec ?? {}) as { readonly credentialsNamespace?: unknown };
  return typeof credentialsNamespace === 'string' ? credentialsNamespace : '';
}

/** The Secrets of a Connection, by name. */
export function secretsBeside(resource: RawResource, read: (key: Key) => RawResource | undefined): ConnectionSecrets {
  const namespace = secretsNamespace(resource);
  const place = resource.kind === sharedConnectionKind ? `namespace ${namespace}` : 'this namespace';
  return { of: (name) => read({ kind: 'Secret', namespace, name }), place };
}

export type SettingsOrMissing =
  | { readonly ok: true; readonly wanted: LoginRequest }
  | { readonly ok: false; readonly message: string };

export interface ConnectionSecrets {
  of(name: string): RawResource | undefined;
  /** Where they are, for people. */
  readonly place: string;
}

export function settingsOf(spec: ConnectionSpec, uid: string, secrets: ConnectionSecrets): SettingsOrMissing {
  const authentication = authenticationOf(spec.auth, secrets);
  if (!authentication.ok) return authentication;
  const ca = spec.tls?.caSecretRef ? secretValue(spec.tls.caSecretRef.name, caKey, secrets) : undefined;
  if (ca && !ca.ok) return ca;
  if (ca && !certificate.test(ca.value)) return noCertificate(spec.tls?.caSecretRef?.name);
  const wanted: LoginRequest = {
    uid,
    endpoint: spec.endpoint === undefined ? undefined : trimmed(spec.endpoint),
    formerEndpoints: (spec.formerEndpoints ?? []).map(trimmed),
    tenant: spec.tenantID,
    dialect: dialects[spec.dialect ?? 'Neutral'],
    authentication: authentication.value,
    ca: ca?.value,
    insecureSkipVerify: spec.tls?.insecureSkipVerify ?? false,
    timeoutMs: (spec.timeoutSeconds ?? defaults.timeoutSeconds) * 1000,
    limits: {
      requestsPerSecond: spec.limits?.requestsPerSecond,
      burst: spec.limits?.burst,
      maxInFlight: spec.limits?.maxInFlight,
    },
    pollSeconds: spec.pollSeconds ?? defaults.pollSeconds,
  };
  return { ok: true, wanted };
}

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

function authenticationOf(auth: ConnectionSpec['auth'], secrets: ConnectionSecrets): Found<Authentication> {
  const { type = 'None', secretRef, cloud = '' } = auth ?? {};
  if (type === 'None') return { ok: true, value: { type: 'none' } };
  const found = secretValue(secretRef?.name, type === 'Token' ? tokenKey : cloudsKey, secrets);
  if (!found.ok) return found;
  const { value } = found;
  return {
    ok: true,
    value: type === 'Token' ? { type: 'token', token: value } : { type: 'keystone', clouds: value, cloud },
  };
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

/** TLS would silently ignore such a bundle and trust no certificate. */
function noCertificate(name = ''): SettingsOrMissing {
  return {
    ok: false,
    message: `key "${caKey}" of Secret ${name} has no certificate: set it to the CA certificate in PEM format`,
  };
}

function trimmed(endpoint: string): string {
  return endpoint.replace(/\/+$/, '');
}

function secretValue(name: string | undefined, key: string, secrets: ConnectionSecrets): Found<string> {
  if (name === undefined)
    return { ok: false, message: 'spec.auth.secretRef is missing: name the Secret that holds the credentials' };
  const secret = secrets.of(name);
  const value = secret && valueOf(secret, key);
  if (value !== undefined) return { ok: true, value };
  return { ok: false, message: (secret && keyProblem(secret, key)) ?? noSecret(name, secrets.place) };
}
