// External names and content hashes, derived from what never changes, so that an object can be found by its name.
import { baseName, digest, installationMark, tagOf, templateBaseLimit } from '../../../lib/generated-name.ts';
import { memoize } from '../../../lib/memoize.ts';
import { hostNameLimit } from '../../../wire/cluster.ts';

export { baseName, digest, installationMark, makerMark, markOf } from '../../../lib/generated-name.ts';

export interface Identity {
  /** Of the resource, or the prefix that its spec asks for. */
  readonly name: string;
  readonly uid: string;
  readonly installation: string;
}

const clusterBaseLimit = 19;

function tag({ installation, uid }: Identity): string {
  return installationMark(installation) + uidTag(uid);
}

const uidTag = memoize((uid: string) => digest(uid, 8));

/** `<base>-<4 of the installation><8 of the uid>`, short enough for the host names of the longest group. */
export function clusterName(identity: Identity, longestGroup: number): string {
  const suffix = tag(identity);
  const room = hostNameLimit - longestGroup - suffix.length - 1;
  return `${baseName(identity.name, Math.max(1, Math.min(clusterBaseLimit, room)))}-${suffix}`;
}

/** `<base>-<4 of the installation><8 of the uid><8 of the content><ending>`: other content has another name. */
export function revisionName(identity: Identity, hash: string, ending = ''): string {
  return `${baseName(identity.name, templateBaseLimit)}-${tag(identity)}${hash}${ending}`;
}

/** Eight characters for what the user set. The order of keys does not matter. */
export function contentHash(content: unknown): string {
  return digest(canonicalJson(content), 8);
}

/** JSON with sorted keys and without undefined fields. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Readonly<Record<string, unknown>>;
  let fields = '';
  for (const key of Object.keys(record).sort()) {
    if (record[key] !== undefined)
      fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(record[key])}`;
  }
  return `{${fields}}`;
}

/** The name has the tag of this installation and this object (60 bits): nobody else gives such a name. */
export function isOwnName(name: string, identity: Identity): boolean {
  return tagOf(name)?.startsWith(tag(identity)) ?? false;
}

/** Identifies a run: `<uid>-<attempt>`. The API server never assigns a uid twice. */
export function runMarker(uid: string, attempt: number): string {
  return `${uid}-${attempt}`;
}

const mostAttempts = 1_000_000;

/** The number of the attempt in a marker of this uid, from 1; undefined: it is of somebody else. */
export function attemptOf(marker: string, uid: string): number | undefined {
  const number = marker.startsWith(`${uid}-`) ? marker.slice(uid.length + 1) : '';
  return /^[1-9]\d*$/.test(number) && Number(number) <= mostAttempts ? Number(number) : undefined;
}

/** The content hash at the end of a template's name. */
export function revisionOf(name: string): string | undefined {
  const suffix = tagOf(name);
  return suffix?.length === 20 ? suffix.slice(-8) : undefined;
}

/** The name was given by this installation, as far as 20 bits tell: enough to count objects, not to delete them. */
export function isOfInstallation(name: string, installation: string): boolean {
  return tagOf(name)?.startsWith(installationMark(installation)) ?? false;
}
