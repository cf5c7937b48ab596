// Files of Python requirements, as users write them. PURE.

export interface Requirements {
  /** One for each package, without comments. */
  readonly lines: readonly string[];
  /** Whether they name digests, which every package must then have. */
  readonly hasHashes: boolean;
}

const most = { bytes: 64 * 1024, lines: 200 } as const;
const name = String.raw`[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?`;
const extras = String.raw`(\s*\[\s*${name}(\s*,\s*${name})*\s*\])?`;
const version = String.raw`(===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]{1,128}`;
const versions = String.raw`(\s*\(?\s*${version}(\s*,\s*${version})*\s*\)?)?`;
const marker = String.raw`(\s*;[\w\s.'"()<>=!~+*-]{1,500}?)?`;
const hashes = String.raw`((\s+--hash=sha(256|384|512):[0-9a-f]{64,128})*)`;
const form = new RegExp(`^${name}${extras}${versions}${marker}${hashes}$`);

/** Throws an Error with the remedy: only packages of the index, and nothing that makes pip read or fetch something else. */
export function readRequirements(text: string): Requirements {
  if (Buffer.byteLength(text) > most.bytes)
    throw new Error(`it is larger than ${most.bytes} bytes: name fewer packages`);
  const joined = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/);
  const lines = joined.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
  if (lines.length === 0) throw new Error('it names no package: add one, such as six==1.17.0');
  if (lines.length > most.lines) throw new Error(`it has ${lines.length} lines: name ${most.lines} packages at most`);
  const wrong = lines.findIndex((line) => line.length > 4000 || !form.test(line));
  if (wrong !== -1)
    throw new Error(
      `${JSON.stringify((lines[wrong] ?? '').slice(0, 60))} is no package with versions: use the form NAME==VERSION, with --hash=sha256:DIGEST if you like, and no URLs, files or options`,
    );
  const withHashes = lines.filter((line) => line.includes('--hash='));
  if (withHashes.length > 0 && withHashes.length < lines.length)
    throw new Error('some packages have a --hash and others have none: give each one a digest, or none');
  return { lines, hasHashes: withHashes.length > 0 };
}
