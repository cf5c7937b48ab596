// Where data can be: the URLs of each type of data source, and what a dialect can carry of them. PURE.
import { uuidForm } from '../../../wire/common.ts';
import { type Dialect, dialectName } from '../../../wire/dialect.ts';
import { type DataSourceType, dataSourceTypes, splitUrl, swiftContainerEnd } from '../../../wire/jobs.ts';

interface Location {
  /** For the API server, too. */
  readonly pattern: RegExp;
  /** For people. */
  readonly form: string;
}

/**
 * All that any service takes. Which of them its clusters can read depends on what runs behind it: only the bundled service has `hdfs:///path`, and only
 * with processes `file:///path`. It refuses the rest with the remedy.
 */
export const locations: Readonly<Record<DataSourceType, Location>> = {
  // The names of HDFS have no colons. Its URLs may have a user, but no password.
  hdfs: {
    pattern: /^([^:/\n]*(\/.*)?|hdfs:\/\/([^:/@\n]+@)?[^/@\n]*\/.+|hdfs:\/\/([^:/@\n]+@)?[^/@\n]+|file:\/\/\/.+)$/,
    form: 'hdfs://host/path, hdfs:///path or a path such as /data/in for the HDFS of the cluster, or file:///path for a file of the computer of the service',
  },
  // Secret keys can have slashes, but buckets have no colons.
  s3: {
    pattern: /^s3a?:\/\/[^:/@\n]+\/.*$/,
    form: 's3a://bucket/key, without keys, which belong into the Secret of credentialsSecretRef',
  },
  swift: {
    pattern: /^swift:\/\/[^/@\n]+\/.+$/,
    form: 'swift://container/object, without a user, which belongs into the Secret of credentialsSecretRef',
  },
  manila: {
    pattern: new RegExp(`^manila://${uuidForm}/.*$`),
    form: 'manila://SHARE/path with the identifier of the share',
  },
  maprfs: {
    pattern: /^([^:/\n]*(\/.*)?|maprfs:(\/?[^/\n].*|\/|\/\/[^/@\n]*(\/.*)?))$/,
    form: 'maprfs:///path or a path such as /data/in, without a user',
  },
};

type Source = {
  readonly type: DataSourceType;
  readonly url: string;
};

export const checkLocation = ({ type, url }: Source, dialect: Dialect): string | undefined => {
  const types: readonly DataSourceType[] = dataSourceTypes[dialect];
  const name = dialectName(dialect);
  if (!types.includes(type))
    return `spec.type: a service of the dialect ${name} has no data sources of type ${type}: use ${types.join(', ')}, or a Connection to a service of another dialect`;
  const { host } = splitUrl(url);
  if (type === 'swift' && dialect === 'sahara' && host.includes('.') && !host.endsWith(swiftContainerEnd))
    return `spec.url: a service of the dialect ${name} takes no container with a dot in its name: use a container without one, or end it with ${swiftContainerEnd}`;
  return undefined;
};
