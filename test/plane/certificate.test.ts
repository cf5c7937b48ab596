// Certificates are what they claim to be, read by Node's own parser and checker.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createKey, type Role, type Subject, signCertificate, writeKey } from '../../dev/plane/keys/certificate.ts';

const now = new Date();
const authority = { name: 'some-authority', key: createKey() };
const root = await signCertificate(authority, authority.key, { kind: 'authority' }, authority, now);
const server: Role = { kind: 'server', names: ['localhost'], addresses: ['127.0.0.1'] };

async function issue(subject: Subject, role: Role) {
  const key = createKey();
  return { key: writeKey(key), cert: await signCertificate(subject, key, role, authority, now) };
}

it('an authority vouches for itself and for others', async () => {
  const parent = new X509Certificate(root);
  const child = new X509Certificate((await issue({ name: 'x' }, server)).cert);
  expect([parent.ca, child.ca]).toEqual([true, false]);
  expect(child.checkIssued(parent)).toBe(true);
  expect(child.verify(parent.publicKey)).toBe(true);
});

it.each(['zoë', '"x" {y}, z=1', '#61'])('a subject keeps its name and its groups: %s', async (name) => {
  const { cert } = await issue({ name, groups: ['система', 'b'] }, { kind: 'client' });
  expect(new X509Certificate(cert).toLegacyObject().subject).toMatchObject({ CN: name, O: ['система', 'b'] });
});

it('a certificate is valid from an hour ago and for a year', () => {
  const { validFromDate, validToDate } = new X509Certificate(root);
  expect(Math.round((now.getTime() - validFromDate.getTime()) / 60_000)).toBe(60);
  expect(Math.round((validToDate.getTime() - now.getTime()) / 86_400_000)).toBe(365);
});

it('a key belongs to its certificate', async () => {
  const { key, cert } = await issue({ name: 'x' }, { kind: 'client' });
  expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

it('a handshake succeeds when both sides check the other', async () => {
  const peer = createServer({
    ...(await issue({ name: 's' }, server)),
    ca: root,
    requestCert: true,
    rejectUnauthorized: true,
  });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  onTestFinished(() => void peer.close());
  const accepted = once(peer, 'secureConnection') as Promise<[TLSSocket]>;
  const { port } = peer.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', ca: root, ...(await issue({ name: 'jane' }, { kind: 'client' })) });
  await once(client, 'secureConnect');
  onTestFinished(() => void client.destroy());
  expect((await accepted)[0].getPeerCertificate().subject.CN).toBe('jane');
});
