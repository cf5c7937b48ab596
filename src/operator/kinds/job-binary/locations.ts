// Where files of jobs can be: the URLs of job binaries, what a dialect can carry of them, and what kind of file a URL names. PURE.
import { uuidForm } from '../../../wire/common.ts';
import { type Dialect, dialectName } from '../../../wire/dialect.ts';
import { isFileName, splitUrl } from '../../../wire/jobs.ts';
import type { SecretKeys } from '../../reconcile/kind/kind.ts';

// Users and passwords have their place in a Secret: everybody who may read the object sees the URL.
// Secret keys of S3 can have slashes, but buckets have no colons.
const elsewhere = '((swift|https?)://[^/@\\n]+|s3a?://[^:/@\\n]+)(/[^\\n]*)?';

/**
 * All that any service takes, for the API server, too. Which of them its jobs can read depends on what runs behind it: only the bundled service with real
 * clusters reads https, s3a and hdfs, and only with processes file. It refuses the rest with the remedy.
 */
export const location = {
  pattern: new RegExp(
    `^(internal-db://${uuidForm}|manila://${uuidForm}/[^\\n]*|${elsewhere}|hdfs://([^:/@\\n]+@)?[^/@\\n]*/[^\\n]+|hdfs://([^:/@\\n]+@)?[^/@\\n]+|file:///[^\\n]+)$`,
  ),
  message:
    'must be internal-db://ID with the identifier of an internal binary, https://host/path, s3a://bucket/key, s3://bucket/key, swift://container/object, hdfs://host/path, file:///path, or manila://SHARE/path with the identifier of the share; without a user or a password, which belong into the Secret of credentialsSecretRef',
};

/** The schemes whose files need credentials, with the keys of the interface. Only the bundled service reads s3a and https. */
export const credentialKeys: Readonly<Record<string, SecretKeys>> = {
  swift: { required: ['user', 'password'] },
  s3: { required: ['accesskey', 'secretkey', 'endpoint'] },
  s3a: { required: ['accesskey', 'secretkey'], optional: ['endpoint', 'region', 'bucket_in_path', 'ssl'] },
  https: { required: ['user', 'password'] },
};

interface Located {
  readonly url?: string | undefined;
  readonly content?:
    | {
        readonly fileName?: string | undefined;
        readonly configMapKeyRef?: { readonly key: string } | undefined;
        readonly secretKeyRef?: { readonly key: string } | undefined;
      }
    | undefined;
}

interface Schemes {
  /** What the interface has: the services of the dialect store these. */
  readonly carried: readonly string[];
  /** What only the bundled service with real clusters takes. */
  readonly bundled: readonly string[];
}

const late: Schemes = {
  carried: ['internal-db', 'swift', 's3', 'manila'],
  bundled: ['s3a', 'https', 'http', 'hdfs', 'file'],
};

/**
 * Which URLs are sent to a service, by its dialect. All else is refused before a request. The bundled service also speaks Sahara, and a dialect does not
 * tell it from others, so what only the bundled one takes is left to the service.
 */
export const schemes: Readonly<Record<Dialect, Schemes>> = {
  neutral: late,
  sahara: late,
  savanna: { carried: ['internal-db', 'swift'], bundled: [] },
};

export const checkLocation = ({ url }: Located, dialect: Dialect): string | undefined => {
  if (url === undefined) return undefined;
  const { carried, bundled } = schemes[dialect];
  const sent = [...carried, ...bundled];
  if (sent.includes(splitUrl(url).scheme)) return undefined;
  const known = sent.map((scheme) => `${scheme}://`).join(' or ');
  return `spec.url: a service of the dialect ${dialectName(dialect)} reads binaries only from ${known}: put the file there, or use a Connection to a service of another dialect`;
};

const pathOf = ({ url = '', content }: Located): string => {
  const named = content && (content.fileName ?? content.configMapKeyRef?.key ?? content.secretKeyRef?.key ?? '');
  return named ?? splitUrl(url.replace(/[?#].*/s, '')).path;
};

/** `.py` of a program in Python. Undefined for a file without an ending, such as an internal binary. */
export const fileEnding = (file: Located): string | undefined =>
  /[^/](\.[a-z0-9]{1,4})$/i.exec(pathOf(file))?.[1]?.toLowerCase();

/**
 * What programs find the file as, for example `helpers.py` of the module `helpers`. Only the bundled service heeds it, and a real Sahara takes nothing
 * but credentials with an `s3` URL. Undefined if the file has no such name.
 */
export const fileNameOf = (file: Located): string | undefined => {
  if (file.content === undefined && !late.bundled.includes(splitUrl(file.url ?? '').scheme)) return undefined;
  const [name = ''] = /[^/]*$/.exec(pathOf(file)) ?? [];
  return isFileName(name) ? name : undefined;
};
