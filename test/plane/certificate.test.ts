// Certificates are what they claim to be, read by Node's own parser and checker.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createKey, type Role, type Subject, signCertificate, writeKey } from '../../dev/plane/keys/certificate.ts';
import { identifier, integer, octets } from '../../dev/plane/keys/der.ts';

const now = new Date();
const authority = { name: 'some-authority', key: createKey() };
const root = signCertificate(authority, authority.key, { kind: 'authority' }, authority, now);
const server: Role = { kind: 'server', names: ['localhost'], addresses: ['127.0.0.1'] };

function issue(subject: Subject, role: Role) {
  const key = createKey();
  return { key: writeKey(key), cert: signCertificate(subject, key, role, authority, now) };
}

it('an authority vouches for itself and for others', () => {
  const parent = new X509Certificate(root);
  const child = new X509Certificate(issue({ name: 'x' }, server).cert);
  expect([parent.ca, child.ca]).toEqual([true, false]);
  expect(child.checkIssued(parent)).toBe(true);
  expect(child.verify(parent.publicKey)).toBe(true);
});

it('a subject keeps its name and its groups, in any script', () => {
  const { cert } = issue({ name: 'zoë', groups: ['система', 'b'] }, { kind: 'client' });
  expect(new X509Certificate(cert).toLegacyObject().subject).toMatchObject({ CN: 'zoë', O: ['система', 'b'] });
});

it('a certificate is valid from an hour ago and for a year', () => {
  const { validFromDate, validToDate } = new X509Certificate(root);
  expect(Math.round((now.getTime() - validFromDate.getTime()) / 60_000)).toBe(60);
  expect(Math.round((validToDate.getTime() - now.getTime()) / 86_400_000)).toBe(365);
});

it('a key belongs to its certificate', () => {
  const { key, cert } = issue({ name: 'x' }, { kind: 'client' });
  expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

it('a handshake succeeds when both sides check the other', async () => {
  const peer = createServer({ ...issue({ name: 's' }, server), ca: root, requestCert: true, rejectUnauthorized: true });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  onTestFinished(() => void peer.close());
  const accepted = once(peer, 'secureConnection') as Promise<[TLSSocket]>;
  const { port } = peer.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', ca: root, ...issue({ name: 'jane' }, { kind: 'client' }) });
  await once(client, 'secureConnect');
  onTestFinished(() => void client.destroy());
  expect((await accepted)[0].getPeerCertificate().subject.CN).toBe('jane');
});

it.each([
  ['2.5.4.3', '0603550403'],
  ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
])('identifier %s is encoded as X.690 says', (dotted, hex) => {
  expect(identifier(dotted).toString('hex')).toBe(hex);
});

it('numbers stay positive, and lengths take as many bytes as they need', () => {
  expect(integer(Buffer.from([0x80])).toString('hex')).toBe('02020080');
  const headOf = (size: number): string => octets(Buffer.alloc(size)).subarray(0, -size).toString('hex');
  expect([127, 128, 256].map(headOf)).toEqual(['047f', '048180', '04820100']);
});
