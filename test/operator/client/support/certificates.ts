// Certificates for servers of tests: an authority of their own, and one certificate that it signed.
import { createKey, signCertificate, writeKey } from '../../../../dev/plane/keys/certificate.ts';

export async function makeCertificates(names: readonly string[], addresses: readonly string[]) {
  const now = new Date();
  const authority = { name: 'test authority', key: createKey() };
  const key = createKey();
  const server = { kind: 'server', names, addresses } as const;
  return {
    ca: await signCertificate({ name: authority.name }, authority.key, { kind: 'authority' }, authority, now),
    cert: await signCertificate({ name: 'server' }, key, server, authority, now),
    key: writeKey(key),
  };
}
