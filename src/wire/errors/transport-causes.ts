// Reasons for a missing or incomplete answer: error codes of the system and of the HTTP library with their categories and messages.

interface Cause {
  readonly category: 'unreachable' | 'throttled' | 'unauthorized' | 'conflict' | 'rejected' | 'malformed';
  readonly why: string;
  /** Nothing has failed: what was to be sent has to be decided anew. */
  readonly isOutdated?: true;
  /** Only another setting helps. */
  readonly needsUser?: true;
}

const unreachable = (why: string): Cause => ({ category: 'unreachable', why });
const misconfigured = (why: string): Cause => ({ category: 'unreachable', why, needsUser: true });
const malformed = (why: string): Cause => ({ category: 'malformed', why });

const refused = unreachable('the service cannot be reached: connection refused');
const unresolved = unreachable('the service cannot be reached: its host name cannot be resolved');
const unrouted = unreachable('the service cannot be reached: no route to its host');
const slowConnect = unreachable('the service cannot be reached: connecting took too long');
const broken = unreachable('the connection to the service broke before its answer was complete');

/** http:// in the endpoint, and TLS on the other side. */
export const speaksTls = misconfigured('the server speaks TLS: use https:// in the endpoint');

const byCode: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EHOSTUNREACH: unrouted,
  ENETUNREACH: unrouted,
  UND_ERR_CONNECT_TIMEOUT: slowConnect,
  ETIMEDOUT: slowConnect,
  ECONNRESET: broken,
  EPIPE: broken,
  UND_ERR_SOCKET: broken,
  UND_ERR_HEADERS_OVERFLOW: malformed('the head of the answer is too large'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: malformed('the answer does not match its Content-Length'),
  ERR_TLS_CERT_ALTNAME_INVALID: misconfigured(
    'the certificate of the service does not include the host of the endpoint',
  ),
  // The client's own codes.
  TLS_ANSWER: speaksTls,
  PROXY: unreachable('the proxy for the service failed'),
  DEADLINE: unreachable('the service did not answer in time'),
  ABORTED: unreachable('the request was aborted'),
  NOT_LEADING: unreachable('another replica may lead now, so the request was not sent'),
  OUTDATED: {
    category: 'conflict',
    why: 'what was decided on has changed meanwhile, so the request was not sent',
    isOutdated: true,
  },
  CLOSED: unreachable('the connection to the service is closed'),
  TOO_LARGE: malformed('the answer is too large to be read'),
  NO_PERMIT: { category: 'throttled', why: 'too many requests to this service are waiting' },
  BAD_TOKEN: { category: 'unauthorized', why: 'the token has characters that are not allowed in a header' },
  NO_TOKEN: { category: 'unauthorized', why: 'no token could be obtained' },
  UPLOAD_TOO_LARGE: { category: 'rejected', why: 'the request exceeds 8 MiB; shorten the spec' },
  BAD_REQUEST: { category: 'rejected', why: 'the request cannot be written' },
};

/** The other side did not answer with TLS. */
const plainText = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/;
/** The certificate is not signed by a trusted authority. */
const untrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/;
const tls =
  /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|INVALID_CA|HOSTNAME_MISMATCH|EPROTO$)/;

/** The meaning of an error code. An unknown code counts as an unreachable service, and the message names it. */
export const causeOf = (code: string): Cause => {
  const known = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return malformed('the answer is not HTTP: check that the endpoint is the service');
  if (plainText.test(code)) return misconfigured('the server does not speak TLS: use http:// in the endpoint');
  if (untrusted.test(code))
    return misconfigured(`the certificate of the service is not trusted (${code}): set spec.tls.caSecretRef`);
  if (tls.test(code)) return misconfigured(`no trusted TLS connection (${code}): check the endpoint and the CA bundle`);
  return unreachable(`the request to the service failed (${/^\w{1,60}$/.test(code) ? code : 'unknown cause'})`);
};
