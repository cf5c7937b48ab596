// Reads the addresses in the `info` of clusters and runs, and nothing else, because plugins store passwords there.
import { isRecord } from './common.ts';

export type ClusterInfo = Record<string, Record<string, string>>;

/** The URL schemes of web pages, file systems, cluster managers and servers for queries. */
const schemes: ReadonlySet<string> = new Set([
  'http:',
  'https:',
  'hdfs:',
  'webhdfs:',
  'swebhdfs:',
  'maprfs:',
  'spark:',
  'thrift:',
  'sc:',
  'hive2:',
]);

/** What precedes an URL of JDBC. */
const jdbc = 'jdbc:';
/** Their parameters begin with a semicolon, and can be passwords and tokens. */
const withParameters = /^(sc|hive2):/i;

export const longestAddress = 2048;
const longestLabel = 128;
const mostAddresses = 200;

/** Printable ASCII with an authority, without the characters that URL parsers disagree about. */
const absolute = /^[a-z][a-z\d]*:\/\/[^/\\\s"'<>^`{|}][!-~]*$/i;
const hostName = /^(?:\[[\da-f:.]+\]|[\w.-]+)$/i;

/**
 * The address to publish. Undefined if it is not an address or contains user information. Query, fragment and parameters are removed, because they can
 * contain tokens.
 */
export const publicAddress = (text: string): string | undefined => {
  if (text.length > longestAddress) return undefined;
  if (!/^jdbc:hive2:/i.test(text)) return publicUrl(text);
  const url = publicUrl(text.slice(jdbc.length));
  return url && jdbc + url;
};

const publicUrl = (text: string): string | undefined => {
  const bare = withParameters.test(text) ? text.replace(/;.*$/s, '') : text;
  if (!absolute.test(bare)) return undefined;
  const url = URL.parse(bare);
  if (!url || !schemes.has(url.protocol) || !hostName.test(url.hostname)) return undefined;
  const place = bare.replace(/[?#].*$/s, '');
  const authority = place.split('/', 3).at(-1) ?? '';
  return authority.includes('@') || place.includes('\\') ? undefined : place;
};

const isLabel = (text: string): boolean => text.length <= longestLabel && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text);

/** The first addresses of `info` that can be published, by target and label. */
export const readInfo = (info: Readonly<Record<string, unknown>>): ClusterInfo => {
  const found: (readonly [target: string, label: string, address: string])[] = [];
  for (const [target, labels] of Object.entries(info)) {
    if (!isLabel(target) || !isRecord(labels)) continue;
    for (const [label, value] of Object.entries(labels)) {
      const address = typeof value === 'string' && isLabel(label) ? publicAddress(value) : undefined;
      if (address !== undefined) found.push([target, label, address]);
      if (found.length >= mostAddresses) return byTarget(found);
    }
  }
  return byTarget(found);
};

const byTarget = (found: readonly (readonly [target: string, label: string, address: string])[]): ClusterInfo => {
  const targets = Map.groupBy(found, ([target]) => target);
  return Object.fromEntries(
    [...targets].map(([target, all]) => [
      target,
      Object.fromEntries(all.map(([, label, address]) => [label, address])),
    ]),
  );
};

export const mostLinks = 20;

/**
 * The first links of a run that can be published, sorted by name: web pages, and paths below the endpoint of the service, which does not always know
 * under which host it is reached.
 */
export const readLinks = (links: unknown, endpoint: string): Readonly<Record<string, string>> => {
  if (!isRecord(links)) return {};
  const found = Object.entries(links).flatMap(([name, link]) => {
    const page = typeof link === 'string' && isName(name) ? webPage(link, endpoint) : undefined;
    return page === undefined ? [] : [[name, page] as const];
  });
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostLinks));
};

// The API server and zod disagree about the name of the prototype.
const isName = (text: string): boolean => text !== '' && text !== '__proto__' && isLabel(text);

const webPage = (link: string, endpoint: string): string | undefined => {
  const page = publicAddress(link.startsWith('/') ? endpoint.replace(/\/+$/, '') + link : link);
  return page !== undefined && /^https?:/i.test(page) ? page : undefined;
};
