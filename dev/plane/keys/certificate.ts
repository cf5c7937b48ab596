// Signs X.509 certificates, which Node cannot do. openssl is not on every machine.
import 'reflect-metadata';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const DAY_MS = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Subject {
  readonly name: string;
  /** Kubernetes reads the organisations of a client certificate as the groups of the user. */
  readonly groups?: readonly string[];
}

export interface Authority {
  readonly name: string;
  readonly key: KeyObject;
}

/** What the holder of a certificate may do with it; a server lists the names and addresses it answers at. */
export type Role =
  | { readonly kind: 'authority' }
  | { readonly kind: 'client' }
  | { readonly kind: 'server'; readonly names: readonly string[]; readonly addresses: readonly string[] };

/** A new private key, EC P-256, which takes a millisecond. RSA takes a hundred. */
export function createKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** The private key as PEM, in the form that Go's tools read. */
export function writeKey(key: KeyObject): string {
  return key.export({ type: 'sec1', format: 'pem' }).toString();
}

/** A certificate for the public half of `key`, valid for a year from an hour before `now`, as PEM. */
export async function signCertificate(
  subject: Subject,
  key: KeyObject,
  role: Role,
  authority: Authority,
  now: Date,
): Promise<string> {
  const publicKey = publicPart(key);
  const certificate = await X509CertificateGenerator.create({
    subject: nameOf(subject),
    issuer: nameOf({ name: authority.name }),
    notBefore: new Date(now.getTime() - DAY_MS / 24),
    notAfter: new Date(now.getTime() + 365 * DAY_MS),
    publicKey,
    signingKey: authority.key.toCryptoKey(algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions: [
      ...purpose(role),
      // Strict checkers, such as Python's from 3.13 on, refuse a chain without these.
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(publicPart(authority.key)),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** As UTF-8, because the library reads plain texts as RFC 4514 writes them: it drops quotes, and takes `#` for hex. */
const nameOf = ({ name, groups = [] }: Subject): Name =>
  new Name([...groups.map((group) => ({ O: [{ utf8String: group }] })), { CN: [{ utf8String: name }] }]);

const publicPart = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

function purpose(role: Role): Extension[] {
  switch (role.kind) {
    case 'authority':
      return [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ];
    case 'client':
      return [...leaf(), new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])];
    case 'server': {
      const names = role.names.map((value) => ({ type: 'dns', value }) as const);
      const addresses = role.addresses.map((value) => ({ type: 'ip', value }) as const);
      return [
        ...leaf(),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([...names, ...addresses]),
      ];
    }
  }
}

/** Not an authority, and its key signs handshakes only. */
const leaf = (): Extension[] => [
  new BasicConstraintsExtension(false, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
];
