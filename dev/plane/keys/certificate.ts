// Signs X.509 certificates (RFC 5280), which Node cannot do. openssl is not on every machine.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, identifier, integer, octets, sequence, set, tagged, time, truth, utf8 } from './der.ts';

const DAY_MS = 86_400_000;

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
export function signCertificate(subject: Subject, key: KeyObject, role: Role, authority: Authority, now: Date): string {
  const algorithm = sequence(identifier('1.2.840.10045.4.3.2')); // ecdsa-with-SHA256
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    distinguishedName({ name: authority.name }),
    sequence(time(new Date(now.getTime() - DAY_MS / 24)), time(new Date(now.getTime() + 365 * DAY_MS))),
    distinguishedName(subject),
    publicPart(key),
    tagged(3, sequence(...purpose(role), ...keyIdentifiers(key, authority.key))),
  );
  const certificate = sequence(content, algorithm, bits(sign('sha256', content, authority.key)));
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(subject: Subject): Buffer {
  const attribute = (type: string, text: string): Buffer => set(sequence(identifier(type), utf8(text)));
  const organisations = (subject.groups ?? []).map((group) => attribute('2.5.4.10', group));
  return sequence(...organisations, attribute('2.5.4.3', subject.name));
}

function publicPart(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** Strict checkers, such as Python's from 3.13 on, refuse a chain without these. */
function keyIdentifiers(key: KeyObject, authorityKey: KeyObject): readonly Buffer[] {
  const digest = (of: KeyObject): Buffer => createHash('sha256').update(publicPart(of)).digest().subarray(0, 20);
  const own = plain('2.5.29.14', octets(digest(key)));
  return [own, plain('2.5.29.35', sequence(tagged(0, digest(authorityKey), false)))];
}

function purpose(role: Role): readonly Buffer[] {
  switch (role.kind) {
    case 'authority':
      return [critical('2.5.29.19', sequence(truth())), critical('2.5.29.15', bits(Buffer.from([0x06]), 1))];
    case 'client':
      return [...leaf(), plain('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.2')))];
    case 'server': {
      const names = role.names.map((name) => tagged(2, Buffer.from(name), false));
      const addresses = role.addresses.map((address) => tagged(7, octetsOf(address), false));
      const usage = plain('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1')));
      return [...leaf(), usage, plain('2.5.29.17', sequence(...names, ...addresses))];
    }
  }
}

/** Of an address of IPv4, or of IPv6, whose `::` stands for as many zeros as it takes. */
function octetsOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - before.length - after.length).fill('');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Not an authority, and its key signs handshakes only. */
function leaf(): readonly Buffer[] {
  return [critical('2.5.29.19', sequence()), critical('2.5.29.15', bits(Buffer.from([0x80]), 7))];
}

function critical(type: string, content: Buffer): Buffer {
  return sequence(identifier(type), truth(), octets(content));
}

function plain(type: string, content: Buffer): Buffer {
  return sequence(identifier(type), octets(content));
}
