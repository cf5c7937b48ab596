// Why an exchange failed: the code of an error, and what only the error itself knows. PURE.
import type { DetailedPeerCertificate } from 'node:tls';
import { codeOf } from '../../../lib/errors.ts';
import { cutText } from '../../../wire/errors/shapes.ts';
import { ProxyError } from './transport.ts';

/** The first bytes of an alert, which servers send to clients that do not speak TLS. */
function isAlert(data: unknown): boolean {
  if (typeof data !== 'string' && !Buffer.isBuffer(data)) return false;
  const [type, major, minor = 255] = Buffer.from(data);
  return type === 0x15 && major === 3 && minor <= 4;
}

/** Maps the errors of undici, whose parser errors mostly have no code. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = codeOf(error);
  if (code === 'HTTPParserError' || code.startsWith('HPE_'))
    return 'data' in error && isAlert(error.data) ? 'TLS_ANSWER' : code.replace('HTTPParserError', 'HPE_UNKNOWN');
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_CHAR') return 'BAD_REQUEST';
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED' ? 'CLOSED' : code;
}

/** What the code does not tell: which proxy failed, or which names a certificate has. */
export function failureText(error: unknown): string | undefined {
  if (error instanceof ProxyError) return error.message;
  return error instanceof Error && codeOf(error) === 'ERR_TLS_CERT_ALTNAME_INVALID' ? otherNames(error) : undefined;
}

/** The part of node's error that matters here. */
interface OtherNames extends Error {
  readonly host?: string;
  readonly cert?: Partial<DetailedPeerCertificate>;
}

const shownNames = 5;
const longestName = 80;

function otherNames({ host = '', cert = {} }: OtherNames): string {
  const names = namesIn(cert).map((name) => cutText(name, longestName));
  const asked = cutText(host, longestName);
  if (names.length === 0) return `it has no names; issue a certificate for ${asked}`;
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
  const shown = `${names.slice(0, shownNames).join(', ')}${more}`;
  return `it is for ${shown}, not for ${asked}; use one of these names as the host, or issue a certificate for ${asked}`;
}

/** The common name counts only if there are no others. Anything that cannot be part of a host is left out. */
function namesIn({ subject, subjectaltname = '' }: Partial<DetailedPeerCertificate>): readonly string[] {
  const listed = [...subjectaltname.matchAll(/(?:DNS|IP Address):([\w.*:-]+)(?=,|$)/g)].flatMap(
    ([, name = '']) => name,
  );
  return listed.length > 0 ? listed : [subject?.CN ?? []].flat().filter((name) => /^[\w.*:-]+$/.test(name));
}
